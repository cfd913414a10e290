import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit
import Testing

/// With enumeration protection, a call does the same for an address with an account and for one without: the same
/// statements, the same changes of the database, the same work after its answer (decision 154). So nothing of it takes
/// another time.
struct EqualWorkTests {
  /// The state of the address or the phone that a call names.
  enum Holder: String, CaseIterable, Sendable { case verified, unverified, disabled, none }

  /// The calls of strangers whose answer is the same for every holder.
  enum Alike: String, CaseIterable, Sendable {
    case reset = "SendOobCode of a reset", link = "SendOobCode of a sign-in", change = "SendOobCode of a change"
    case phone = "SendVerificationCode", methods = "CreateAuthUri", password = "SignInWithPassword"

    var type: String { String(rawValue.prefix { $0 != " " }) }
  }

  /// The calls of strangers whose answer says nothing of an address, or has to say it. Each has its reason.
  private static let others = [
    "SignUp": "says that an address is taken, which is counted",
    "SignInWithCustomToken": "needs a token of the operator's",
    "SignInWithIdp": "needs a credential of another provider",
    "GetPasswordPolicy": "names no account",
  ]

  private struct Work: Equatable {
    var statements: [String] = []
    var tables: [String: Int] = [:]
    var delayed = 0
    var delivered = 0
  }

  private static let caller = Caller(address: "198.51.100.1")

  /// The work of a call, in a provider of its own.
  private static func work(_ call: Alike, _ holder: Holder, network: Caller = caller) async throws -> Work {
    let statements = Lock<[String]>([]), outbox = Outbox(), pager = Pager()
    let scene = Scene {
      $0.enumerationProtection = true
      ($0.delivery, $0.textDelivery) = (outbox, pager)
      $0.statementRan = { text in statements.withLock { $0.append(text) } }
      $0.audit = nil
    }
    let clients = scene.backend.backend(for: network)
    let session = try await clients.answer(SignUp(email: "eve@example.com", password: Secret("correct horse")))
    let email = "someone@example.com", phone = "+12025550123"
    if holder != .none {
      let account = try await scene.signUp(email)
      var change = UpdateAccount(localId: account.localId)
      (change.emailVerified, change.phoneNumber) = (holder != .unverified, phone)
      _ = try await scene.backend.answer(change)
      if holder == .disabled { _ = try await scene.backend.setDisabled(AccountName(email), true) }
    }
    try await scene.backend.open()
    func rows() throws -> [String: Int] {
      let names = try scene.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").compactMap { $0[0] }
      return try names.reduce(into: [:]) { counts, name in
        counts[name] = try scene.rows("SELECT count(*) FROM \"\(name)\"")[0][0].flatMap(Int.init)
      }
    }
    // Chores and the statements that each connection prepares once come before.
    await scene.backend.settle()
    let before = try rows()
    statements.withLock { $0 = [] }
    try await make(call, clients, email, phone, session)
    // A connection prepares itself when it is needed first.
    let found = statements.withLock { $0 }.filter { !$0.contains("sqlite_") && !$0.hasPrefix("PRAGMA") }
    let after = try rows()
    var work = Work(statements: found, delayed: await scene.backend.delayedDeliveries())
    work.tables = after.merging(before) { $0 - $1 }.filter { $0.value != 0 }
    work.delivered = outbox.messages.count + pager.texts.count
    return work
  }

  private static func make(
    _ call: Alike, _ clients: some Backend, _ email: String, _ phone: String, _ session: SignInResponse
  ) async throws {
    func send(_ type: ActionCodeType, _ set: (inout SendOobCode) -> Void) async throws {
      var call = SendOobCode(type)
      set(&call)
      _ = try await clients.answer(call)
    }
    switch call {
    case .reset: try await send(.passwordReset) { $0.email = email }
    case .link: try await send(.emailSignIn) { ($0.email, $0.continueUrl) = (email, "http://localhost/app") }
    case .change: try await send(.verifyAndChangeEmail) { ($0.idToken, $0.newEmail) = (session.idToken, email) }
    case .phone: _ = try await clients.answer(SendVerificationCode(phoneNumber: phone))
    case .methods: _ = try await clients.answer(CreateAuthUri(identifier: email, continueUri: "http://localhost"))
    case .password:
      await expectRefusal("INVALID_LOGIN_CREDENTIALS") {
        try await clients.answer(SignInWithPassword(email: email, password: Secret("guess work")))
      }
    }
  }

  @Test(arguments: Alike.allCases)
  func `a call does the same work whether its address has an account or not`(call: Alike) async throws {
    let unknown = try await Self.work(call, .none)
    for holder in Holder.allCases where holder != .none {
      let known = try await Self.work(call, holder)
      #expect(known.statements == unknown.statements, "\(holder)")
      #expect(known.tables == unknown.tables && known.delayed == unknown.delayed, "\(holder): \(known) \(unknown)")
      #expect(known.delivered == unknown.delivered, "\(holder)")
    }
    let sends = [.reset, .link, .change].contains(call)
    #expect(unknown.delayed == (sends ? 1 : 0), "the message waits, also one that is kept back")
    #expect(call == .methods || unknown.statements.count > 2, "the statements are seen")
  }

  @Test func `every call of a stranger is compared, or its answer differs for a reason`() throws {
    var strangers: Set<String> = []
    for call in try CallStatementsTests.samples() where CallStatementsTests.statement(of: call)?.authority == .stranger
    {
      strangers.insert("\(type(of: call))")
    }
    let compared = Set(Alike.allCases.map(\.type))
    #expect(strangers == compared.union(Self.others.keys))
  }
}
