import GRDB
import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// The limits of sign-ins and sign-ups: their counts, and the devices that an account knows.
struct SignIns: ProviderPart {
  let store: ProviderStore
  let sessions: Sessions

  /// Whether an account knows the caller's device or network, and takes the caller's tries apart from all others'
  /// (decision 132). Looks for the device also if there is no account, because an account must not cost more.
  func isKnown(_ caller: Caller, to account: StoredAccount?, at now: Moment, in db: Database) throws -> Bool {
    try KnownDevice.known(of: caller, toAccount: account?.uid ?? "", in: db).contains { device in
      try Attempts.find(.device, device.hash, options.throttle, at: now, in: db).count < options.throttle.attempts
    }
  }

  /// Whether the account of an ID token knows the caller. A token alone is no such sign: everyone can make an account.
  func isKnown(_ caller: Caller, toBearerOf idToken: Secret) throws(AuthError) -> Bool {
    let now = try now()
    let bearer = try sessions.bearer(of: idToken, in: nil, at: now)
    return try database.read { db in try isKnown(caller, to: bearer.account(in: db), at: now, in: db) }
  }

  /// Refuses a sign-up if the caller's network has created too many accounts.
  func requireFewSignUps(_ caller: Caller, at now: Moment, in db: Database) throws {
    guard !caller.isAdministrator else { return }
    try NetworkAttempts(.signUp, of: caller, options.signUpThrottle, at: now, in: db).requireFew(at: now)
  }

  /// Counts the refusal of any call that tells whether an address has an account, like a sign-up: a network could ask
  /// about any number of addresses otherwise. Above the limit, the refusal is `TOO_MANY_ATTEMPTS_TRY_LATER` instead.
  ///
  /// A call that tells so without a refusal counts it itself.
  func countingTold<Value>(
    by call: some Call, _ caller: Caller, _ answer: () throws(AuthError) -> Value
  ) throws(AuthError) -> Value {
    do throws(AuthError) { return try answer() } catch {
      guard tells(error, by: call) else { throw error }
      let now = try now()
      try database.write { db in try countSignUp(caller, at: now, in: db) }
      throw error
    }
  }

  /// Whether a refusal tells whether an address has an account.
  private func tells(_ error: AuthError, by call: some Call) -> Bool {
    switch error.serverWord {
    // A sign-in counts an address without an account like a wrong password. It tells of a disabled account to its user.
    case .emailNotFound, .userDisabled: call is SendOobCode
    default: error.code == .emailAlreadyInUse
    }
  }

  /// Counts a sign-up, or an answer that tells whether an address has an account, for the caller's networks. Refuses it
  /// if there were too many.
  func countSignUp(_ caller: Caller, at now: Moment, in db: Database) throws {
    guard !caller.isAdministrator else { return }
    var made = try NetworkAttempts(.signUp, of: caller, options.signUpThrottle, at: now, in: db)
    try made.requireFew(at: now)
    try made.add(at: now, in: db)
  }

  /// - Parameter sent: a cookie that the device already has. If the account knows it, the device gets no other one.
  func deviceCookie(of idToken: Secret, unlessKnown sent: Secret) throws(AuthError) -> Secret? {
    let bearer = try sessions.bearer(of: idToken, in: nil, at: try now())
    let isKnown = try database.read { db in
      try KnownDevice.isKnown(sent, to: try bearer.account(in: db).uid, in: db)
    }
    return isKnown ? nil : try deviceCookie(of: idToken)
  }

  func deviceCookie(of idToken: Secret) throws(AuthError) -> Secret {
    let now = try now()
    let bearer = try sessions.bearer(of: idToken, in: nil, at: now)
    let cookie = Secret(Base64URL.encode(try RandomBytes.bytes(32)))
    try database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, options, in: db)
      try KnownDevice.add(cookie, to: account.uid, withFactor: bearer.factor != nil, at: now, in: db)
    }
    return cookie
  }
}
