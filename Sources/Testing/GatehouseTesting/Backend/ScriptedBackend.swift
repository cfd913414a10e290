public import GatehouseBase
import GatehouseQueues
public import IdentityToolkit

/// A provider for tests, with accounts in memory, whose answers the test controls.
///
/// By default it answers like a provider. A test can hold calls of one kind until it releases them, make the next ones
/// fail, run code inside a call, and inspect the calls. Its tokens have the format of JWTs, but are not signed.
public final class ScriptedBackend: Backend {
  /// The kinds of calls that can be controlled.
  public enum Kind: String, Sendable, CaseIterable {
    /// `SignUp`: a new account, anonymous or not, or a link.
    case signUp
    /// `SignInWithPassword`.
    case signIn
    /// `Lookup`.
    case lookup
    /// `Update`.
    case update
    /// `Delete`.
    case delete
    /// `ExchangeRefreshToken`.
    case refresh
    /// `SendOobCode`.
    case sendCode
    /// `ResetPassword`: checks a code, or sets a password with it.
    case resetPassword
    /// `SignInWithEmailLink`: signs in, or links.
    case signInWithLink
    /// `SignInWithCustomToken`. The tokens are `custom:UID`.
    case signInWithCustomToken
    /// `CreateAuthUri`.
    case signInMethods
    /// `FinalizeMfaSignIn`: a second factor.
    case secondFactor
    /// `StartMfaSignIn`: a code for a phone that is a second factor.
    case sendSecondFactorCode
    /// `StartMfaEnrollment`.
    case beginEnrollment
    /// `FinalizeMfaEnrollment`. Any code of six digits is valid.
    case enroll
    /// `WithdrawMfa`.
    case unenroll
    /// `MakeRecoveryCodes`.
    case recoveryCodes
    /// `SignInWithIdp`: signs in, or links. The tokens are `idp:SUBJECT`, or `idp:SUBJECT:ADDRESS`.
    case signInWithIdentity
    /// `SendVerificationCode`.
    case sendPhoneCode
    /// `SignInWithPhoneNumber`: signs in, links or updates. Any code of six digits is valid.
    case signInWithPhone
    /// `ListSessions`.
    case sessions
    /// `RevokeSessions`.
    case revokeSessions
    /// `RevokeToken`.
    case revokeToken
    /// `GetPasswordPolicy`.
    case passwordPolicy
  }

  private struct State: Sendable {
    var accounts = FakeAccounts()
    var calls: [Kind] = []
    var held: Set<Kind> = []
    var waiting: [(Kind, CheckedContinuation<Void, Never>)] = []
    var watchers: [(Kind, Int, CheckedContinuation<Void, Never>)] = []
    var failures: [Kind: [AuthError]] = [:]
    var hook: (@Sendable (Kind) async -> Void)?
    var rotates = false
  }

  private let state = Lock(State())

  /// Makes a provider without accounts.
  public init() {}

  /// Answers a call, or throws the error that the test has scripted.
  public func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard let fake = call as? any FakeCall<C.Response> else { throw .unsupported(C.self) }
    let kind = fake.kind
    await note(kind)
    if let hook = state.withLock({ $0.hook }) { await hook(kind) }
    // The answer is made when the call is released, as by a slow server.
    return try state.withLock { (state) throws(AuthError) in
      if let error = state.failures[kind]?.first {
        state.failures[kind]?.removeFirst()
        throw error
      }
      state.accounts.tenant = (fake as? any TenantCall)?.tenantId
      return try fake.answer(&state.accounts)
    }
  }

  private func note(_ kind: Kind) async {
    await withCheckedContinuation { continuation in
      let (goesOn, seen) = state.withLock { state in
        state.calls.append(kind)
        let count = state.calls.count { $0 == kind }
        let seen = state.watchers.filter { $0.0 == kind && $0.1 <= count }.map(\.2)
        state.watchers.removeAll { $0.0 == kind && $0.1 <= count }
        let goesOn = !state.held.contains(kind)
        if !goesOn { state.waiting.append((kind, continuation)) }
        return (goesOn, seen)
      }
      for watcher in seen { watcher.resume() }
      if goesOn { continuation.resume() }
    }
  }

  // MARK: Controlling calls

  /// Keeps calls of a kind waiting, cancelled or not, until `release`.
  public func hold(_ kind: Kind) { state.withLock { _ = $0.held.insert(kind) } }

  /// Releases the calls of a kind, in the order in which they arrived.
  public func release(_ kind: Kind) { letGo(kind, keepsHolding: false, most: .max) }

  /// Releases the first waiting call, and holds the others.
  public func releaseOne(_ kind: Kind) { letGo(kind, keepsHolding: true, most: 1) }

  /// Releases the last waiting call, and holds the others.
  public func releaseLast(_ kind: Kind) {
    let last = state.withLock { state in
      state.waiting.lastIndex { $0.0 == kind }.map { state.waiting.remove(at: $0).1 }
    }
    last?.resume()
  }

  private func letGo(_ kind: Kind, keepsHolding: Bool, most: Int) {
    let waiting = state.withLock { state in
      if !keepsHolding { state.held.remove(kind) }
      var released: [CheckedContinuation<Void, Never>] = []
      var kept: [(Kind, CheckedContinuation<Void, Never>)] = []
      for (other, continuation) in state.waiting {
        if other == kind && released.count < most {
          released.append(continuation)
        } else {
          kept.append((other, continuation))
        }
      }
      state.waiting = kept
      return released
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Makes the next calls of a kind fail, one for each error.
  public func fail(_ kind: Kind, _ errors: AuthError...) {
    state.withLock { $0.failures[kind, default: []] += errors }
  }

  /// Runs inside every call, before it is answered.
  public func onCall(_ hook: (@Sendable (Kind) async -> Void)?) { state.withLock { $0.hook = hook } }

  /// The lifetime of ID tokens; sent in whole seconds.
  public var tokenLifetime: Duration {
    get { state.withLock { $0.accounts.lifetime } }
    set { state.withLock { $0.accounts.lifetime = newValue } }
  }

  /// The value that an `Auth` gets for `rotatesRefreshTokens`. The tokens do not rotate: a used token stays valid.
  public var rotatesRefreshTokens: Bool {
    get { state.withLock { $0.rotates } }
    set { state.withLock { $0.rotates = newValue } }
  }

  // MARK: Inspecting calls

  /// The calls, in order.
  public var calls: [Kind] { state.withLock { $0.calls } }

  /// Returns the number of calls of a kind so far.
  public func count(of kind: Kind) -> Int { state.withLock { $0.calls.count { $0 == kind } } }

  /// Waits until `count` calls of a kind have arrived.
  public func waitForCall(_ kind: Kind, count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.calls.count(where: { $0 == kind }) >= count { return true }
        state.watchers.append((kind, count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  /// Returns the provider's data of an account.
  public func account(_ uid: String) -> Account? { state.withLock { $0.accounts.byID[uid]?.account } }

  /// The calls that sent messages, in order, each with the code of its message.
  public var messages: [(call: SendOobCode, code: String)] { state.withLock { $0.accounts.messages } }

  /// Makes an account's sign-ins wait for a second factor, which accepts any password of six digits.
  public func requireSecondFactor(of email: String) {
    state.withLock { state in
      state.accounts.tenant = nil
      guard var entry = state.accounts.entry(email: email) else { return }
      entry.account.mfaInfo = [Account.MfaEnrollment(SecondFactor(uid: "factor", factorID: "totp"))]
      state.accounts.byID[entry.account.localId] = entry
    }
  }

  /// Returns the user of an ID token.
  package func owner(of idToken: Secret) -> String? {
    state.withLock { try? $0.accounts.entry(of: idToken).account.localId }
  }

  /// Changes an account without the client's knowledge.
  public func change(_ uid: String, _ body: @Sendable (inout Account) -> Void) {
    state.withLock { state in
      if var entry = state.accounts.byID[uid] {
        body(&entry.account)
        state.accounts.byID[uid] = entry
      }
    }
  }
}
