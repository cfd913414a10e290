import Foundation
import GatehouseBase
import GatehouseHTTP
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Logging
import TestSupport
import Testing

/// What all clients of a server share, and one greedy client against each: the table in `Docs/SECURITY.md`.
@Suite(.endsIfItHangs) struct SharedBoundsTests {
  /// The rows of the table.
  enum Bound: String, CaseIterable {
    case bodies = "memory for bodies of more than 16 KiB"
    case connections = "connections"
    case strangers = "strangers' passwords that wait to be checked"
    case known = "known callers' passwords that wait to be checked"
    case threads = "the provider's threads"
    case deliveries = "the threads that deliver messages"
    case identities = "checks of identity providers' credentials"
    case messages = "messages and codes to a recipient"
    case texts = "texts to all phones together"
    case passwords = "wrong passwords of an account"
    case factors = "wrong second factors of an account"
    case sessions = "sessions of an account"
    case rates = "the networks that the rate limit remembers"
  }

  // MARK: The table

  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The rows of the table: the bound, and the names of what sets it.
  private static func rows() throws -> [(bound: String, names: [String])] {
    let page = try text("Docs/SECURITY.md")
    let section = try #require(page.components(separatedBy: "\n## Bounds that all clients share\n").last)
    let lines = section.prefix(upTo: section.range(of: "\n## ")?.lowerBound ?? section.endIndex)
    return lines.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| bound |") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      let names = String(cells[2]).matches(of: /`([^`]+)`/).map { String($0.1) }
      return (cells[1].trimmingCharacters(in: .whitespaces), names)
    }
  }

  @Test func `the page has each bound in a row, in this order`() throws {
    #expect(try Self.rows().map(\.bound) == Bound.allCases.map(\.rawValue))
  }

  /// The bounds that are not shared by clients, each with the reason.
  private static let unshared: [String: [String]] = [
    "the length of one input, or the shape of one request": [
      "EmailAddress.maximum", "PasswordRules.maximum", "ProviderArchive.limit", "CSVRows.longest", "FileRow.longest",
      "JSONRows.longest", "JSONRows.longestBeginning", "BulkImport.limits", "UserFileImport.mostRefusals",
      "UserFileImport.mostIgnoredMembers", "LookingUpAccounts.most", "QueryingAccounts.most",
      "DocumentChange.mostPaths", "DocumentChange.mostSteps", "Resources.mostBytes", "BodyBudget.free",
      "HTTPLimits.bodyLength", "UserFileExport.mostRefusals", "ChangedNames.maximumNames",
      "PhoneRegions.maximumPrefixLength", "HTTPLimits.headerLength", "HTTPLimits.headerCount",
      "RequestManners.mostHeld", "ServerOptions.json",
      "ServerOptions.importLength", "RoutePath.maximumLength", "ServerCertificate.mostBytes",
      "OptionLimits.projectBytes", "OptionLimits.issuerBytes", "OptionLimits.shortestPassword",
    ],
    "a time, or the work of one operation": [
      "HashWork.maximum", "HashWork.maximumKibibytes", "HashWork.maximumRounds", "HashWork.maximumBcryptCost",
      "Upkeep.mostSteps", "HTTPLimits.requestTime",
      "HTTPLimits.responseTime", "HTTPLimits.idleTime", "HTTPLimits.stopTime", "OptionLimits.tokenLifetime",
      "OptionLimits.keyPublication", "OptionLimits.rotationGrace", "OptionLimits.throttleWindow",
      "OptionLimits.codeLifetime", "OptionLimits.auditTime",
    ],
    "a limit of one network or one code itself": [
      "LocalOptions.addressThrottle", "LocalOptions.signUpThrottle", "LocalOptions.networkMessageThrottle",
      "RateLimit.requestsPerSecond", "RateLimit.burst", "ServerOptions.rateLimit", "StoredPhoneCode.guesses",
    ],
    "of one account, and only its own user adds to it": ["KnownDevice.most", "StoredSecondFactor.most"],
    "only administrators and the owner add to it": [
      "StoredServiceAccount.most", "KeyAdministration.mostKeys", "Resources.most", "IdentityProviders.mostVerifiers",
      "BulkExport.mostFiles", "LocalBackend.transferring", "ProviderAccess.background", "ServerCertificate.share",
      "HTTPServer.share",
    ],
    "for emulators, in which every client may do everything": [
      "EmulatorOutbox.most", "EmulatorProjects.maximum", "EmulatorPageRoutes.mostUsers",
    ],
    "nothing is refused or lost above it": [
      // The times of further accounts are exact to the hour.
      "RecentRefreshes.most",
      // Counting begins anew; an event is never dropped.
      "SecurityShares.most", "SecurityShares.mostCounts",
      // No text of a client makes a series.
      "PrometheusMetrics.maximumSeries",
      // A proxy beyond them has the limit of a network.
      "IdentityServer.maximum",
      // One change at a time; all that wait share the next commit.
      "LocalBackend.committing",
      // Its work comes from threads of the queue for hashes, whose lines have the shares.
      "HashThreads.ordinary", "HashThreads.costly",
      // A message above them is delivered without a delay. A network requests a limited number of messages.
      "DeliveryDelays.maximum",
      // The counts of a minute are written early.
      "CallCounts.maximumKeys",
      // The log names no further origins of refused pages.
      "IdentityServer.maximumLoggedOrigins",
    ],
    "the size of the audit log's files, of which each series has its own (decision 102)": [
      "OptionLimits.auditBytes", "OptionLimits.auditFiles",
    ],
    "a statement of SQL": ["AccountSchema.limits"],
  ]

  /// The bounds that the sources declare.
  private static func declared() throws -> Set<String> {
    var names: Set<String> = []
    for module in ["GatehouseServer", "GatehouseLocal"] {
      let folder = "Sources/Provider/\(module)"
      let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      for path in paths.sorted() where path.hasSuffix(".swift") {
        let source = try text("\(folder)/\(path)")
        let file = path.split(separator: "/").last?.dropLast(6) ?? ""
        let constant = /\bstatic (?:let|var) ((?:most|maximum|longest)\w*|limits?|guesses|free)\b/
        var found = source.matches(of: constant).map { $0.1 }
        found += source.matches(of: /\blet (\w+)(?:: \w+)? = (?:BackgroundQueue|PoolShare)\(/).map { $0.1 }
        switch file {
        case "HTTPLimits", "RateLimit": found += source.matches(of: /public var (\w+)/).map { $0.1 }
        case "ServerOptions":
          found += source.matches(of: /public var (\w+)(?:: RateLimit\?| = JSONLimits| = \d)/).map { $0.1 }
        case "LocalOptions": found += source.matches(of: /public var (\w+)(?:: Throttle\b| = Throttle)/).map { $0.1 }
        case "OptionLimits": found += source.matches(of: /package static let (\w+)/).map { $0.1 }
        default: break
        }
        names.formUnion(found.map { "\(file).\($0)" })
      }
    }
    return names
  }

  @Test func `each bound of the sources has a row, or a reason to have none`() throws {
    let inRows = try Self.rows().flatMap(\.names), without = Self.unshared.flatMap(\.value)
    let declared = try Self.declared()
    #expect(declared.count > 60)
    #expect(declared.subtracting(inRows + without).sorted() == [], "give them a row in Docs/SECURITY.md, and a test")
    #expect(Set(inRows + without).subtracting(declared).sorted() == [], "they are no longer there")
    #expect(Set(inRows).isDisjoint(with: without))
  }

  @Test func `work of a client waits for its thread in the turn of its network`() throws {
    // Work without a party would wait in one line for all networks.
    let source = try Self.text("Sources/Provider/GatehouseLocal/LocalBackend.swift")
    let runs = source.matches(of: /\b(?:background|reading|hashing|queue)\.run(?:InPlace|AsKnown|AsStranger)?\b(.)/)
    #expect(runs.count >= 8)
    #expect(runs.allSatisfy { $0.1 == "(" }, "pass the caller's party")
  }

  // MARK: One greedy client

  private static let greedy = "192.0.2.1"
  private static let other = "198.51.100.1"
  private static let tooMany = "TOO_MANY_ATTEMPTS_TRY_LATER"

  @Test(arguments: Bound.allCases)
  func `one greedy client leaves each bound to another network and to an administrator`(_ bound: Bound) async throws {
    switch bound {
    case .bodies: try await bodies()
    case .connections: try connections()
    case .strangers: try await strangers()
    case .known: try await known()
    case .threads: await threads()
    case .deliveries: try await deliveries()
    case .identities: try await identities()
    case .messages: try await messages()
    case .texts: await texts()
    case .passwords: try await passwords()
    case .factors: try await factors()
    case .sessions: try await sessions()
    case .rates: await rates()
    }
  }

  private func networks(_ address: String) throws -> [NetworkAddress.Network] {
    try #require(NetworkAddress(address)).networks
  }

  private func bodies() async throws {
    let limits = HTTPLimits(), logger = Logger(label: "test") { _ in LogLines() }
    let budget = BodyBudget(limits, PrometheusMetrics(), logger)
    func hold(_ address: String, _ length: Int, isAdministrators: Bool = false) throws -> Bool {
      let share = budget.begin(of: try networks(address), isAdministrators: isAdministrators) {}
      // Its calls wait for their turn, so that they keep the room.
      return share.hold(length) && share.keep()
    }
    var count = 0
    while try hold(Self.greedy, limits.bodyLength), count < 70 { count += 1 }
    #expect(count == 6)
    #expect(try hold(Self.other, limits.bodyLength))
    #expect(try hold(Self.greedy, ServerOptions().importLength, isAdministrators: true))
    // A credential that is not an administrator's buys no share.
    let scene = ServerScene()
    let account = try await KeyFile(scene, name: "backend"), user = await scene.signUp()
    let credentials: [(String?, Bool)] = [
      (try await account.accessToken(scene), true), (user.idToken, false), ("x", false), (nil, false),
    ]
    for (token, isAdministrators) in credentials {
      var request = ServerRequest("POST", "/v1/projects/local/accounts:update")
      request.headers["Authorization"] = token.map { "Bearer \($0)" }
      #expect(await scene.server.isAdministrator(request) == isAdministrators)
    }
  }

  private func connections() throws {
    let logger = Logger(label: "test") { _ in LogLines() }
    let connections = OpenConnections(
      .init(HTTPLimits(), descriptors: 20_000, cores: 2), PrometheusMetrics(), logger)
    var count = 0
    while try connections.admit(networks(Self.greedy)) == .admitted, count < 10_000 { count += 1 }
    #expect(count == 1000)
    #expect(try connections.admit(networks(Self.other)) == .admitted)
    #expect(connections.admit([]) == .admitted, "an administrator on this machine, or behind a trusted proxy")
  }

  /// A provider whose threads for hashes are held, and an account that knows a network.
  private struct Line {
    let scene = ServerScene()
    let gates = (0..<4).map { _ in WatchedSemaphore(value: 0) }

    init(knownAt addresses: [String] = []) async throws {
      _ = await scene.signUp()
      for address in addresses {
        #expect(await signIn("ada@example.com", "correct horse", from: address).status == 200)
      }
      for gate in gates { scene.provider.hashing.async { gate.wait() } }
      while scene.provider.hashing.waiting.known > 0 { await Task.yield() }
    }

    func signIn(_ email: String, _ password: String, from peer: String) async -> Reply {
      let body = #"{"email":"\#(email)","password":"\#(password)"}"#
      return await scene.send(
        ServerRequest("POST", "/v1/accounts:signInWithPassword?key=k", body: Array(body.utf8), peer: peer))
    }

    /// Begins as many sign-ins of one network as there is room for.
    func flood(
      _ count: Int, _ password: String, from peer: String, email: (Int) -> String
    ) async -> [Task<Int, Never>] {
      var tasks: [Task<Int, Never>] = []
      for number in 0..<count {
        let address = email(number), before = scene.provider.hashing.waiting
        tasks.append(Task { await signIn(address, password, from: peer).status })
        while scene.provider.hashing.waiting == before { await Task.yield() }
      }
      #expect(await signIn(email(0), password, from: peer).status == 503, "the line has no more room for it")
      return tasks
    }

    /// Creates an account as an administrator, in the greedy client's network.
    func administrators() -> Task<Bool, Never> {
      var caller = Caller(address: SharedBoundsTests.greedy)
      caller.isAdministrator = true
      var call = CreateAccount(localId: "bob")
      call.password = Secret("correct horse")
      return Task { [call, backend = scene.provider.backend(for: caller)] in (try? await backend.answer(call)) != nil }
    }

    func open() { for gate in gates { gate.signal() } }
  }

  private func strangers() async throws {
    let line = try await Line(), most = LocalBackend.mostWaitingStrangers
    var flood = await line.flood(most, "wrong horse", from: Self.greedy) { "user\($0)@example.com" }
    let other = Task { await line.signIn("new@example.com", "wrong horse", from: Self.other).status }
    #expect(await flood.removeLast().value == 503, "the greedy client's last one makes room")
    let administrators = line.administrators()
    line.open()
    #expect(await other.value == 400)
    #expect(await administrators.value)
    for task in flood { #expect(await task.value == 400) }
  }

  private func known() async throws {
    let line = try await Line(knownAt: [Self.greedy, Self.other]), most = LocalBackend.mostWaitingOfKnown
    let flood = await line.flood(most, "correct horse", from: Self.greedy) { _ in "ada@example.com" }
    let other = Task { await line.signIn("ada@example.com", "correct horse", from: Self.other).status }
    let administrators = line.administrators()
    while line.scene.provider.hashing.waiting.known < most + 2 { await Task.yield() }
    line.open()
    #expect(await other.value == 200)
    #expect(await administrators.value)
    for task in flood { #expect(await task.value == 200) }
  }

  private func threads() async {
    let queue = BackgroundQueue(label: "test.threads", width: 1)
    let gate = WatchedSemaphore(value: 0), order = Lock<[String]>([])
    await withTaskGroup(of: Void.self) { group in
      group.addImmediateTask { await queue.run(for: "greedy") { gate.wait() } }
      for _ in 0..<100 {
        group.addImmediateTask { await queue.run(for: "greedy") { order.withLock { $0.append("greedy") } } }
      }
      for party in ["other", "administrators"] {
        group.addImmediateTask { await queue.run(for: party) { order.withLock { $0.append(party) } } }
      }
      while queue.waiting.known < 102 { await Task.yield() }
      gate.signal()
    }
    #expect(Set(order.withLock { $0.prefix(3) }) == ["greedy", "other", "administrators"])
  }

  /// Delivers a message when the test lets it, and notes the recipients.
  private final class GatedDelivery: MessageDelivery {
    let gate = WatchedSemaphore(value: 0)
    private let begun = Lock<[String]>([])
    var recipients: [String] { begun.withLock { $0 } }

    func deliver(_ message: OutgoingMessage) async throws(AuthError) {
      begun.withLock { $0.append(message.recipient) }
      gate.wait()
    }
  }

  private func deliveries() async throws {
    let delivery = GatedDelivery()
    let scene = ServerScene {
      $0.delivery = delivery
      // Otherwise a message waits for the clocks, before it waits for a thread.
      $0.maximumDeliveryDelay = .zero
    }
    func send(to email: String, from caller: Caller) async throws {
      var call = SendOobCode(.emailSignIn)
      (call.email, call.continueUrl) = (email, "http://localhost/app")
      _ = try await scene.provider.backend(for: caller).answer(call)
    }
    for number in 0..<20 { try await send(to: "user\(number)@example.com", from: Caller(address: Self.greedy)) }
    while delivery.recipients.count < 3 || scene.provider.waitingDeliveries < 17 { await Task.yield() }
    var administrator = Caller(address: Self.greedy)
    administrator.isAdministrator = true
    try await send(to: "other@example.com", from: Caller(address: Self.other))
    try await send(to: "administrator@example.com", from: administrator)
    while scene.provider.waitingDeliveries < 19 { await Task.yield() }
    for _ in 0..<3 { delivery.gate.signal() }
    while delivery.recipients.count < 6 { await Task.yield() }
    let early = delivery.recipients
    for _ in 0..<19 { delivery.gate.signal() }
    await scene.provider.settle()
    #expect(delivery.recipients.count == 22)
    #expect(early.contains("other@example.com") && early.contains("administrator@example.com"), "\(early)")
  }

  private func identities() async throws {
    let scene = ServerScene {
      $0.addressThrottle = Throttle(attempts: 3, window: .seconds(3600))
      $0.transport = StubTransport()
      $0.identityProviders = [.gitHub(clientID: "app", clientSecret: Secret("s"))]
    }
    func signIn(from peer: String, isAdministrator: Bool = false) async -> String? {
      var caller = Caller(address: peer)
      caller.isAdministrator = isAdministrator
      var credential = IdentityCredential(providerID: "github.com")
      credential.accessToken = Secret("made up")
      do throws(AuthError) {
        _ = try await scene.provider.backend(for: caller).answer(SignInWithIdp(credential))
        return nil
      } catch { return error.serverCode }
    }
    for _ in 1...3 { #expect(await signIn(from: Self.greedy) == "INVALID_IDP_RESPONSE") }
    #expect(await signIn(from: Self.greedy) == Self.tooMany)
    #expect(await signIn(from: Self.other) == "INVALID_IDP_RESPONSE")
    #expect(await signIn(from: Self.greedy, isAdministrator: true) == "INVALID_IDP_RESPONSE")
  }

  private struct SilentTexts: TextDelivery {
    func deliver(_ text: OutgoingText) async throws(AuthError) {}
  }

  private func texts() async {
    let scene = ServerScene {
      $0.textDelivery = SilentTexts()
      $0.textThrottle = Throttle(attempts: 40, window: .seconds(3600))
    }
    var number = 1000
    func send(from peer: String) async -> Bool {
      number += 1
      let call = SendVerificationCode(phoneNumber: "+1202555\(number)")
      return (try? await scene.provider.backend(for: Caller(address: peer)).answer(call)) != nil
    }
    var count = 0
    while await send(from: Self.greedy), count < 40 { count += 1 }
    #expect(count == 5)
    #expect(await send(from: Self.other))
  }

  private func messages() async throws {
    let delivery = GatedDelivery()
    let scene = ServerScene { $0.delivery = delivery }
    for _ in 0..<100 { delivery.gate.signal() }
    _ = await scene.signUp()
    func reset(from peer: String, isAdministrator: Bool = false) async -> Bool {
      var caller = Caller(address: peer)
      caller.isAdministrator = isAdministrator
      var call = SendOobCode(.passwordReset)
      call.email = "ada@example.com"
      return (try? await scene.provider.backend(for: caller).answer(call)) != nil
    }
    var count = 0
    while await reset(from: Self.greedy), count < 20 { count += 1 }
    #expect(count == LocalOptions().messageThrottle.attempts / 2)
    #expect(await reset(from: Self.other))
    #expect(await reset(from: Self.greedy, isAdministrator: true))
    // Also when strangers together have used the messages up.
    while await reset(from: Self.other) {}
    while await reset(from: "203.0.113.1") {}
    #expect(await reset(from: Self.greedy, isAdministrator: true))
  }

  private func passwords() async throws {
    let scene = ServerScene()
    _ = await scene.signUp()
    func signIn(_ password: String, from peer: String) async -> String {
      let body = #"{"email":"ada@example.com","password":"\#(password)"}"#
      let reply = await scene.send(
        ServerRequest("POST", "/v1/accounts:signInWithPassword?key=k", body: Array(body.utf8), peer: peer))
      return reply.message.map { String($0.prefix { $0 != " " }) } ?? "\(reply.status)"
    }
    var count = 0
    while await signIn("wrong horse", from: Self.greedy) != Self.tooMany, count < 20 { count += 1 }
    #expect(count == LocalOptions().throttle.attempts / 2)
    #expect(await signIn("wrong horse", from: Self.other) == "INVALID_LOGIN_CREDENTIALS")
    #expect(await signIn("correct horse", from: Self.other) == "200")
    // An administrator's new password ends the share's count, too.
    var change = UpdateAccount(localId: try await scene.provider.account(.email("ada@example.com")).uid)
    change.password = Secret("another horse")
    while await signIn("wrong horse", from: Self.greedy) != Self.tooMany {}
    _ = try await scene.provider.answer(change)
    #expect(await signIn("another horse", from: Self.greedy) == "200")
  }

  private func factors() async throws {
    let scene = ServerScene()
    var account = CreateAccount(localId: "ada")
    (account.email, account.password, account.emailVerified) = ("ada@example.com", Secret("correct horse"), true)
    account.mfaInfo = [.init(phoneInfo: "+15555550100")]
    _ = try await scene.provider.answer(account)
    func finish(from peer: String) async throws -> String? {
      let backend = scene.provider.backend(for: Caller(address: peer))
      let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
      do throws(AuthError) { _ = try await backend.answer(call) } catch {
        let pending = try #require(error.pendingSignIn?.credential)
        do throws(AuthError) {
          _ = try await backend.answer(FinalizeMfaSignIn(pending, recoveryCode: Secret("0000-0000-0000-0000")))
        } catch { return error.serverCode }
      }
      return nil
    }
    var count = 0
    while try await finish(from: Self.greedy) != Self.tooMany, count < 20 { count += 1 }
    #expect(count == LocalOptions().secondFactorThrottle.attempts / 2)
    #expect(try await finish(from: Self.other) == "INVALID_CODE")
  }

  private func sessions() async throws {
    let scene = ServerScene()
    _ = await scene.signUp()
    func signIn(from peer: String) async throws -> SignInResponse {
      try await scene.provider.backend(for: Caller(address: peer))
        .answer(SignInWithPassword(email: "ada@example.com", password: Secret("correct horse")))
    }
    let first = try await signIn(from: Self.other)
    scene.clock.advance(by: 10)
    let greedy = try await signIn(from: Self.greedy)
    scene.clock.advance(by: 1)
    for _ in 0..<1000 { _ = try await signIn(from: Self.greedy) }
    func refresh(_ user: SignInResponse) async -> Bool {
      (try? await scene.provider.answer(ExchangeRefreshToken(refreshToken: user.refreshToken))) != nil
    }
    #expect(await refresh(first), "an older session of another network stays")
    #expect(await !refresh(greedy))
    let last = try await signIn(from: Self.other)
    #expect(await refresh(last))
  }

  private func rates() async {
    var limit = RateLimit(requestsPerSecond: 0.001, burst: 1)
    limit.addresses = 100
    let scene = ServerScene(options: { [limit] in $0.rateLimit = limit })
    func get(from peer: String) async -> Int {
      await scene.send(ServerRequest("GET", "/.well-known/jwks.json", peer: peer)).status
    }
    #expect(await get(from: "203.0.113.1") == 200)
    var allowed = 0
    for number in 0..<400 where await get(from: "2001:db8:0:\(String(number, radix: 16))::1") == 200 { allowed += 1 }
    #expect(allowed <= 16)
    #expect(await get(from: "203.0.113.1") == 429, "a site does not push other networks out")
    #expect(await get(from: Self.other) == 200)
  }
}

/// Refuses every request, as an identity provider does with a made-up token.
private struct StubTransport: HTTPTransport {
  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    TransportResponse(status: 401, url: request.url)
  }
}
