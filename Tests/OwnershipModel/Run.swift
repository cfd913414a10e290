import GatehouseBase
import GatehouseLocal
import IdentityToolkit

/// What does not hold.
struct Violation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// One sequence of calls: what each person holds, and how each account should be.
final class Run {
  /// What permits a call to change something that is verified.
  enum Authority: Equatable {
    case none, administrator
    /// A code of a message, or an identity provider's word for an address.
    case proof
    /// A session, and when the person last proved in it who they are.
    case session(signedIn: Int64)
  }

  let world: World
  let number: Int
  var holdings: [Holding] = []
  var accounts: [String: Owned] = [:]
  /// The identifiers of the accounts, in the order of their creation.
  var uids: [String] = []
  var step = 0
  private(set) var trace: [String] = []
  /// The actions so far, and whether they were not refused.
  var actions: [(action: Action, isDone: Bool)] = []
  private var secrets = 0

  /// The permission of the current step.
  var authority = Authority.none
  /// Whether the current step was not refused.
  var isDone = false
  /// The accounts before the current step.
  var before: [String: Owned] = [:]
  /// The person who makes the calls of the current step.
  var acting = Person.ada
  /// The messages that the current step has sent.
  var received: [OutgoingMessage] = []

  init(_ world: World) {
    self.world = world
    number = world.beginRun()
  }

  var now: Int64 { world.now }

  func note(_ line: String) { trace.append("\(step): \(line)") }

  // MARK: Calls

  /// Makes a call of a client.
  func call<C: Call>(_ call: C) async -> Result<C.Response, AuthError> {
    await made(call, by: Caller(address: acting.network))
  }

  /// Makes a call of an administrator.
  func administer<C: Call>(_ call: C) async -> Result<C.Response, AuthError> {
    authority = .administrator
    do throws(AuthError) { return done(call, try await world.backend.answer(call)) } catch {
      return refused(call, error)
    }
  }

  private func made<C: Call>(_ call: C, by caller: Caller) async -> Result<C.Response, AuthError> {
    do throws(AuthError) {
      return done(call, try await world.backend.backend(for: caller).answer(call))
    } catch {
      return refused(call, error)
    }
  }

  private func done<C: Call>(_ call: C, _ response: C.Response) -> Result<C.Response, AuthError> {
    isDone = true
    note("  \(C.self): done")
    return .success(response)
  }

  private func refused<C: Call>(_ call: C, _ error: AuthError) -> Result<C.Response, AuthError> {
    note("  \(C.self): \(error.serverCode ?? "\(error.code)")")
    return .failure(error)
  }

  // MARK: Choices

  /// A new password.
  func newPassword() -> Secret {
    secrets += 1
    return Secret("password \(secrets) of \(number)")
  }

  /// One of the addresses: first ones are more likely to meet in one account.
  func address(_ pick: Int) -> String {
    let all = Person.allCases.map { $0.addresses(number)[0] } + Person.allCases.map { $0.addresses(number)[1] }
    return all[pick % all.count]
  }

  func owner(of address: String) -> Person? { Person.allCases.first { $0.addresses(number).contains(address) } }

  func tenant(_ pick: Int) -> String? { pick % 4 == 3 ? World.tenant : nil }

  /// One of a person's holdings of a kind: the first are those that have not ended, latest first.
  func holding(_ kind: Holding.Kind, of person: Person, _ pick: Int) -> Int? {
    let all = holdings.indices.filter { holdings[$0].kind == kind && holdings[$0].holder == person }.reversed()
    let ordered = all.filter { holdings[$0].end == nil } + all.filter { holdings[$0].end != nil }
    return ordered.isEmpty ? nil : ordered[pick % ordered.count]
  }

  /// One of a person's sessions; first of all one of an account that suits the call.
  func session(of person: Person, _ pick: Int, suiting: (Owned) -> Bool) -> Int? {
    let suitable = holdings.lastIndex {
      $0.kind == .session && $0.holder == person && $0.end == nil
        && $0.uid.flatMap { accounts[$0] }.map(suiting) ?? false
    }
    return pick == 0 ? suitable ?? holding(.session, of: person, 0) : holding(.session, of: person, pick)
  }

  /// One of the accounts, latest first.
  func account(_ pick: Int) -> String? { uids.isEmpty ? nil : uids[uids.count - 1 - pick % uids.count] }

  /// The account that has an address.
  func account(having address: String, _ tenant: String) -> String? {
    uids.first { accounts[$0]?.email == address && accounts[$0]?.tenant == tenant }
  }

  // MARK: What calls bring

  /// Requires that a holding which was accepted has not ended.
  func requireLive(_ index: Int, _ what: String) throws {
    if let end = holdings[index].end { throw Violation("\(what) was accepted, which ended: \(end)") }
  }

  /// Requires that a call with a session's ID token may have been accepted, and notes what it permits.
  func use(session index: Int) throws {
    try requireLive(index, "an ID token of \(holdings[index].holder)")
    guard let uid = holdings[index].uid, accounts[uid].map({ !$0.isDisabled }) ?? false else {
      throw Violation("an ID token of a disabled or deleted account was accepted")
    }
    authority = .session(signedIn: holdings[index].signedIn)
    accounts[uid]?.visitors.insert(acting)
  }

  /// Keeps the tokens that a person got.
  ///
  /// - Parameter signedIn: when the person last proved who they are; now, for a sign-in.
  func add(_ idToken: Secret?, _ refreshToken: Secret?, of person: Person, signedIn: Int64? = nil) throws {
    guard let idToken, let refreshToken else { throw Violation("a sign-in has no tokens") }
    let claims = try TokenClaims(idToken)
    guard let account = accounts[claims.uid] else { throw Violation("a token names an account that is not there") }
    guard !account.isDisabled else { throw Violation("a disabled account yields a token") }
    guard account.tenant == claims.tenant else { throw Violation("a token names another tenant than its account's") }
    var holding = Holding(.session, of: person, refreshToken, opens: claims.uid, account.tenant, since: step)
    (holding.idToken, holding.session, holding.signedIn) = (idToken, claims.session, signedIn ?? now)
    holdings.append(holding)
    if account.visitors.isEmpty { accounts[claims.uid]?.owners.insert(person) }
    accounts[claims.uid]?.visitors.insert(person)
  }

  /// Keeps a sign-in that waits for a second factor.
  ///
  /// - Parameter byPassword: the step in which the password was set that has begun it.
  func add(_ error: AuthError, for uid: String, of person: Person, byPassword: Int? = nil) throws {
    guard let pending = error.pendingSignIn, let account = accounts[uid] else { return }
    guard !account.factors.isEmpty else { throw Violation("a second factor is asked for that is not there") }
    guard !account.isDisabled else { throw Violation("a disabled account lets a sign-in wait") }
    isDone = true
    var waiting = Holding(.waiting, of: person, pending.credential, opens: uid, account.tenant, since: step)
    waiting.byPassword = byPassword
    holdings.append(waiting)
    accounts[uid]?.visitors.insert(person)
  }

  /// Requires that an account which a first factor has opened has no second one.
  func requireNoFactors(_ uid: String) throws {
    if accounts[uid]?.factors.isEmpty == false { throw Violation("tokens without the second factor") }
  }

  func insert(_ account: Owned) {
    if accounts[account.uid] == nil { uids.append(account.uid) }
    accounts[account.uid] = account
  }

  func hold(_ kind: Holding.Kind, _ secret: Secret, of person: Person, for uid: String) {
    holdings.append(Holding(kind, of: person, secret, opens: uid, accounts[uid]?.tenant ?? "", since: step))
  }

  func hold(password: Secret, of person: Person, for uid: String) {
    end(uid, "there is a new password") { $0.kind == .password }
    accounts[uid]?.password = step
    hold(.password, password, of: person, for: uid)
  }

  // MARK: What ends

  /// Ends holdings of an account.
  func end(_ uid: String, _ reason: String, where isEnded: (Holding) -> Bool) {
    for index in holdings.indices where holdings[index].uid == uid && holdings[index].end == nil {
      if isEnded(holdings[index]) { holdings[index].end = "\(reason), in step \(step)" }
    }
    for index in holdings.indices where holdings[index].stops != nil && holdings[index].end == nil {
      let removal = holdings.first { $0.secret == holdings[index].stops }
      holdings[index].end = removal?.end
    }
  }

  /// Ends the codes of an account, and the links to its address; not those that take a change back.
  func endCodes(_ uid: String, _ reason: String) {
    end(uid, reason) { $0.kind == .code && !$0.takesBack }
    guard let account = accounts[uid] else { return }
    for index in holdings.indices
    where holdings[index].type == .emailSignIn && holdings[index].address == account.email
      && holdings[index].tenant == account.tenant && holdings[index].end == nil
    {
      holdings[index].end = "\(reason), in step \(step)"
    }
  }

  /// Ends all sessions, the sign-ins that wait, and the codes.
  func endSessions(_ uid: String, _ reason: String) {
    end(uid, reason) { $0.kind == .session || $0.kind == .waiting }
    endCodes(uid, reason)
  }

  /// Ends everything that was there before: the owner has proved an address that was not verified.
  func beginAnew(_ uid: String) {
    let reason = "the owner has proved the address"
    endSessions(uid, reason)
    end(uid, reason) { $0.kind != .app }
    accounts[uid]?.password = nil
    accounts[uid]?.hasLink = false
    accounts[uid]?.isCustom = false
    accounts[uid]?.isForgotten = true
    accounts[uid]?.phone = nil
    accounts[uid]?.identities = [:]
  }

  /// Makes an address free for an account whose person has proved it.
  func claim(_ address: String, for uid: String) throws {
    guard let other = account(having: address, accounts[uid]?.tenant ?? ""), other != uid else { return }
    if accounts[other]?.isVerified == true { throw Violation("an address that another account has proved was taken") }
    loseAddress(other, "another account has proved the address")
  }

  func loseAddress(_ uid: String, _ reason: String) {
    endSessions(uid, reason)
    end(uid, reason) { $0.kind == .password }
    accounts[uid]?.isForgotten = true
    accounts[uid]?.email = nil
    accounts[uid]?.isVerified = false
    accounts[uid]?.password = nil
    accounts[uid]?.hasLink = false
  }

  /// Lets the owner of a verified address in: factors that are older than the verification end.
  func admit(_ uid: String) {
    guard let account = accounts[uid] else { return }
    let old = account.factors.filter { $0.value.byUser && $0.value.since < account.verified }.keys
    for factor in old { remove(factor: factor, from: uid) }
    guard !old.isEmpty else { return }
    end(uid, "factors were older than the address") { $0.kind == .recoveryCode || $0.kind == .pendingApp }
  }

  func endEverything(_ uid: String, _ reason: String) {
    endSessions(uid, reason)
    end(uid, reason) { _ in true }
    accounts[uid] = nil
    uids.removeAll { $0 == uid }
  }
}
