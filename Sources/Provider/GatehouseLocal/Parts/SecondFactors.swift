import GRDB
import GatehouseBase
import GatehouseQueues
import IdentityToolkit

/// The second factors, and the sign-ins that wait for one.
struct SecondFactors: ProviderPart {
  let store: ProviderStore

  /// Begins a session, or a sign-in that waits for a second factor if the account has one.
  ///
  /// - Parameter isByPassword: whether the caller has given the account's password. A sign-in by link has the same
  ///   method.
  /// - Returns: The session, or a failure that must not roll back the transaction, because that stores the waiting
  ///   sign-in.
  func begin(
    _ token: RefreshToken, of account: StoredAccount, by provider: String, isByPassword: Bool = false, at now: Moment,
    in db: Database
  ) throws -> Result<Session, AuthError> {
    let factors = try StoredSecondFactor.all(of: account.uid, in: db)
    guard !factors.isEmpty else {
      var account = account
      account.lastLoginAt = now.milliseconds
      try account.save(db)
      return .success(try Session(beginning: token, of: account, by: provider, at: now, in: db))
    }
    let credential = try ActionCode()
    try account.save(db)
    try db.change("DELETE FROM pendingSignIn WHERE expires <= ?", [now.seconds])
    try WaitingSignIn(
      hash: try ActionCode.hash(credential.secret), uid: account.uid, provider: provider,
      expires: now.seconds + WaitingSignIn.lifetime,
      passwordGeneration: isByPassword ? account.passwordGeneration : nil
    ).insert(db)
    var pending = PendingSignIn(credential: credential.secret, factors: factors.map { $0.info(isMasked: true) })
    pending.uid = account.uid
    return .failure(.secondFactorRequired(pending))
  }

  /// Returns the factor that a proof is for, and uses the proof up; `nil` if the proof is wrong.
  func used(by proof: FactorProof, of account: StoredAccount, at now: Moment, in db: Database) throws -> UsedFactor? {
    switch proof {
    case .recoveryCode(let code):
      try db.change(
        "UPDATE recoveryCode SET used = ? WHERE hash = ? AND uid = ? AND used IS NULL",
        [now.seconds, try RecoveryCode.hash(code), account.uid])
      return db.changesCount == 1 ? UsedFactor(kind: proof.kind, id: nil) : nil
    case .phone(let info, let named):
      guard
        case .good(let code) = try StoredPhoneCode.take(
          info.code, info.sessionInfo, for: .secondFactor, at: now, in: db)
      else { return nil }
      guard code.uid?.isExactly(account.uid) == true, let id = code.factor, named?.isExactly(id) ?? true else {
        throw AuthError(server: .invalidSessionInfo)
      }
      let factor = try PhoneFactor(StoredSecondFactor.require(id, of: account.uid, in: db))
      // An administrator may have replaced the number since.
      guard factor.number.text.isExactly(code.phoneNumber) else { throw AuthError(server: .invalidSessionInfo) }
      return UsedFactor(kind: proof.kind, id: id)
    case .app(let password, let id):
      var factor = try AppFactor(StoredSecondFactor.require(id, of: account.uid, in: db))
      guard try factor.take(password, at: now) else { return nil }
      try factor.stored.update(db)
      return UsedFactor(kind: proof.kind, id: id)
    }
  }

  /// Returns the bearer's account, if it can enroll another factor of this kind.
  func enrollable(_ bearer: Bearer, _ kind: String, in db: Database) throws -> StoredAccount {
    let account = try bearer.account(in: db)
    let own = account.tenant.isEmpty ? nil : try TenantRules(of: account.tenant, in: db).secondFactors
    try (own ?? store.environment.secondFactors).require(kind)
    guard bearer.provider != Session.anonymous, bearer.provider != Session.byCustomToken, account.email != nil else {
      throw AuthError(server: .unsupportedFirstFactor)
    }
    guard account.emailVerified else { throw AuthError(server: .unverifiedEmail) }
    try bearer.requireRecentSignIn(to: account, options, in: db)
    try bearer.requireFactor(of: account, in: db)
    guard try StoredSecondFactor.all(of: account.uid, in: db).count < StoredSecondFactor.most else {
      throw AuthError(server: .secondFactorLimitExceeded)
    }
    return account
  }

  /// Replaces all sessions of the account with a new one.
  func restarted(
    _ bearer: Bearer, _ account: StoredAccount, _ token: RefreshToken, _ factor: UsedFactor?, at now: Moment,
    in db: Database
  ) throws -> Session {
    var account = account
    let signedIn = try bearer.signedIn(in: db)
    try account.revokeSessions(at: now, in: db)
    try account.update(db)
    return try Session(
      beginning: token, of: account, by: bearer.provider, factor: factor, since: signedIn, at: now, in: db)
  }
}
