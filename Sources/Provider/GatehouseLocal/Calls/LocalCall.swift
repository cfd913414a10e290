import GRDB
import GatehouseBase
import IdentityToolkit

/// A call that the embedded provider answers.
///
/// The extension that conforms a call to this protocol is in one file of `Calls`. It has everything that the provider
/// does for the call and says about it. No member has a default, so a call that lacks one does not compile.
protocol LocalCall<Response>: Call {
  /// The person or program that the call acts for.
  var authority: Authority { get }
  /// The tenant that the call names. `nil` for the project itself, and where a token determines the tenant.
  var tenantId: String? { get }

  /// Returns the steps that answer the call.
  func steps(_ options: LocalOptions) -> CallSteps<Response>

  /// Returns the events of a completed call for the audit log. An administrator's call has none: its steps record their
  /// own before they change or return anything, and a call that records none is counted.
  ///
  /// - Parameter outcome: the response, or the refusal that the caller gets.
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent]
}

extension LocalCall {
  /// The tenant in its stored form: empty for the project itself.
  var tenant: String { tenantId ?? "" }

  /// The kind of the call's work.
  func work(_ options: LocalOptions) -> CallWork { steps(options).work }

  /// Returns the tenant of the account that the call is about: a token determines it, or else the call names it.
  func tenant(by provider: Provider) throws(AuthError) -> String {
    guard let givenTo else { return tenant }
    return try provider.sessions.bearer(of: givenTo, in: tenantId, at: provider.now()).tenant
  }

  /// The ID token of a user who gets a way to sign in by the call.
  private var givenTo: Secret? {
    switch self {
    case let call as SignUp: call.idToken
    case let call as SignInWithEmailLink: call.idToken
    case let call as SignInWithIdp: call.idToken
    case let call as Update where call.password != nil && call.oobCode == nil: call.idToken
    default: nil
    }
  }

  /// Whether the call checks a password whose hash costs much more than ours.
  func checksCostlyHash(by provider: Provider) -> Bool {
    // The call itself meets the errors of the look-up.
    (try? (self as? SignInWithPassword)?.hasCostlyHash(by: provider))
      ?? (try? (self as? Update)?.hasCostlyHash(by: provider)) ?? false
  }

  /// Refuses a call about a missing tenant, and a call that the tenant does not allow.
  func requireTenant(by provider: Provider) throws(AuthError) {
    let tenant = try tenant(by: provider)
    guard !tenant.isEmpty else { return }
    try provider.tenants.rules(of: tenant).require(self)
  }

  /// Records the outcome.
  func note(_ outcome: Result<Response, AuthError>, by provider: Provider, from caller: Caller) {
    guard let now = try? provider.now() else { return }
    var events = events(outcome, at: now)
    // If there are tenants, an address alone does not identify an account.
    if !tenant.isEmpty {
      for index in events.indices { events[index]["tenant"] = tenant.printable() }
    }
    if let credential = caller.credential {
      for index in events.indices { events[index].show(credential) }
    }
    provider.note(events, at: now)
  }
}

extension TenantRules {
  /// Refuses a call that the tenant does not allow. Administrators' calls are always allowed.
  fileprivate func require(_ call: some LocalCall) throws(AuthError) {
    if call.authority != .administrator { try requireSwitchedOn() }
    switch call {
    case let call as SignUp where call.password == nil && call.idToken == nil:
      try require(.anonymous, else: .adminOnlyOperation)
    case is SignUp: try require(.password)
    case let call as Update where call.password != nil: try require(.password)
    case is SignInWithPassword: try require(.password, else: .passwordLoginDisabled)
    case is SignInWithEmailLink: try require(.link)
    case let call as SendOobCode where call.requestType == .emailSignIn: try require(.link)
    default: return
    }
  }
}

/// The person or program that a call acts for, which determines what the call must present.
package enum Authority: Sendable, CaseIterable {
  /// Nothing: any client may make the call.
  case stranger
  /// The bearer of an ID token.
  case user
  /// The bearer of a refresh token.
  case session
  /// The bearer of a sign-in that waits for a second factor.
  case waitingSignIn
  /// The bearer of a code from a message to a mailbox or a phone.
  case code
  /// A caller who has shown an administrator's credential; see `Caller.isAdministrator`.
  case administrator
}

/// The kind of a piece of work, which determines its threads.
package enum CallWork: Sendable, CaseIterable {
  /// Changes nothing, and does not wait for changes.
  case reading
  /// Changes the database, and waits for the disk.
  case changing
  /// Hashes a password, which takes as much CPU time as a hundred other calls.
  case hashing
}

/// The steps that answer one call. All of them block: for background threads only.
enum CallSteps<Response: Sendable>: Sendable {
  typealias Finish = @Sendable (Provider) throws(AuthError) -> Answer<Response>
  typealias Change = @Sendable (Provider, Database) throws -> Result<Finish, AuthError>
  /// Returns the credential; `nil` if it cannot be read. The parameter is whether the provider accepts credentials
  /// without verification, as an emulator does.
  typealias Credential = @Sendable (_ isUnverified: Bool) throws(AuthError) -> IdentityCredential?
  /// Whether the account of the call knows its caller.
  typealias Acquaintance = @Sendable (Provider, Caller) throws(AuthError) -> Bool

  /// One piece of work.
  case sending(CallWork, Finish)
  /// One piece of work that hashes a password. Callers that the account does not know wait in a line of their own.
  case hashing(Acquaintance, Finish)
  /// A change, which shares its transaction with changes of other calls, and then the answer. No thread is blocked
  /// between them. A refusal whose changes must be committed is returned; any other refusal is thrown.
  case grouped(Change)
  /// The verification of a credential by its identity provider, and then the answer.
  case identified(Credential, @Sendable (Provider, VerifiedIdentity) throws(AuthError) -> Answer<Response>)

  /// One piece of work that sends no messages.
  static func plain(_ work: CallWork, _ respond: @escaping @Sendable (Provider) throws(AuthError) -> Response) -> Self {
    .sending(work) { provider throws(AuthError) in Answer(try respond(provider)) }
  }

  /// One piece of work that hashes a password, and sends no messages.
  static func hashing(
    ifKnown isKnown: @escaping Acquaintance,
    _ respond: @escaping @Sendable (Provider) throws(AuthError) -> Response
  ) -> Self {
    .hashing(isKnown) { provider throws(AuthError) in Answer(try respond(provider)) }
  }

  /// One piece of work of an administrator, which hashes a password and sends no messages.
  static func hashingForAdministrator(
    _ respond: @escaping @Sendable (Provider) throws(AuthError) -> Response
  ) -> Self {
    .hashing(ifKnown: { _, caller in caller.isAdministrator }, respond)
  }

  /// The kind of the work. The answer after a verified identity begins a session.
  var work: CallWork {
    switch self {
    case .sending(let work, _): work
    case .hashing: .hashing
    case .grouped, .identified: .changing
    }
  }
}
