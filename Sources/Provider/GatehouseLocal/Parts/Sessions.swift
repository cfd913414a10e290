import GRDB
import GatehouseBase
import IdentityToolkit

/// The sessions, with their refresh tokens and their ID tokens.
struct Sessions: ProviderPart {
  let store: ProviderStore
  let keys: SigningKeys
  let refreshes = RecentRefreshes()

  /// Returns the user and session of an ID token. Refuses a call that names another tenant than the token.
  ///
  /// - Parameter tenantID: the tenant that the call names, if it names one.
  func bearer(of idToken: Secret, in tenantID: String?, at now: Moment) throws(AuthError) -> Bearer {
    let bearer = try keys.bearer(of: idToken, at: now)
    guard tenantID.map(bearer.tenant.isExactly) ?? true else { throw AuthError(server: .tenantIDMismatch) }
    return bearer
  }

  /// Returns the answer to a call that signs in.
  func response(_ session: Session, at now: Moment) throws(AuthError) -> SignInResponse {
    SignInResponse(
      localId: session.account.uid, email: session.account.email, displayName: session.account.displayName,
      idToken: try idToken(of: session, at: now), refreshToken: session.refreshToken.secret,
      expiresIn: options.tokenLifetime)
  }

  /// Makes an ID token with the current data of a session.
  func idToken(of session: Session, at now: Moment) throws(AuthError) -> Secret {
    try keys.idToken(of: session, options, at: now)
  }

  /// Signs a custom token of the provider.
  func sign(_ token: CustomToken) throws(AuthError) -> String {
    let now = try now()
    return try keys.sign(token.payload(options, at: now), at: now)
  }

  /// Returns the answer to a call that changes the second factors, or signs in with one.
  func tokens(_ session: Session, at now: Moment) throws(AuthError) -> SecondFactorTokens {
    SecondFactorTokens(idToken: try idToken(of: session, at: now), refreshToken: session.refreshToken.secret)
  }

  /// Returns the session of a refresh token that is not rotated.
  func prolonged(_ sent: RefreshToken, in tenantID: String?, at now: Moment) throws(AuthError) -> Session {
    let session = try session(of: sent)
    if let tenantID { try session.account.requireTenant(tenantID) }
    refreshes.note(session.account, at: now)
    guard session.account.hasOldRefresh(at: now) else { return session }
    try database.writeTogether { [account = session.account] db in try account.noteRefresh(at: now, in: db) }
    return session
  }

  private func session(of sent: RefreshToken) throws(AuthError) -> Session {
    let plain = try database.readOnce { db in try Session(prolongingPlain: sent, in: db) }
    if let plain { return plain }
    return try database.read { db in
      let row = try StoredRefreshToken.require(sent, in: db)
      return try Session(prolonging: row, with: sent, in: db)
    }
  }

  /// Returns the session with a new refresh token, which replaces the sent one.
  ///
  ///     the sent token    its successor                      then
  ///     is valid          does not exist                     the successor replaces it
  ///     is spent          is unused, within the grace        the answer is repeated: the first one may have been lost
  ///     is spent          was used, or the grace is over     the session ends: the token may have been stolen
  func rotated(
    _ sent: RefreshToken, in tenantID: String?, at now: Moment, in db: Database
  ) throws -> Result<Session, AuthError> {
    let (found, account, hasIdentities) = try StoredRefreshToken.requireWithAccount(sent, in: db)
    if let tenantID { try account?.requireTenant(tenantID) }
    var row = found
    let next = try RotationKey.successor(of: sent, in: db)
    let isRepeated = row.state == .spent
    if isRepeated {
      guard let successor = try unusedSuccessor(next, ofSpent: row, at: now, in: db) else {
        try StoredRefreshToken.revokeAll(ofSession: row.session, in: db)
        // Returned instead of thrown, so that the revocation is committed.
        return .failure(AuthError(server: .tokenExpired, "the refresh token was used twice").with { $0.isReuse = true })
      }
      row = successor
    }
    guard let account else { throw AuthError(server: .userNotFound) }
    try account.requireEnabled()
    try account.requireTenantSwitchedOn(in: db)
    let identities = hasIdentities ? try StoredIdentity.all(of: account.uid, in: db) : []
    let session = try Session(prolonging: row, of: account, identities, with: next)
    if !isRepeated { try row.rotate(to: next, at: now, in: db) }
    refreshes.note(account, at: now)
    if account.hasOldRefresh(at: now) { try account.noteRefresh(at: now, in: db) }
    return .success(session)
  }

  /// Returns the row of the token that has replaced a spent one; `nil` if it was used, or the grace is over. A clock
  /// that was set back by less than the grace ends no session.
  private func unusedSuccessor(
    _ next: RefreshToken, ofSpent spent: StoredRefreshToken, at now: Moment, in db: Database
  ) throws -> StoredRefreshToken? {
    guard let endedAt = spent.endedAt,
      (now.seconds - endedAt).magnitude < options.rotationGrace.wholeSeconds.magnitude
    else { return nil }
    let successor = try StoredRefreshToken.find(next, in: db)
    return successor?.state == .valid ? successor : nil
  }
}

extension Session {
  /// Makes the session of a refresh token with one statement, if that reads everything that its tokens contain: for an
  /// account without a tenant or identity providers. `nil` for any other account, which has not been checked yet.
  fileprivate init?(prolongingPlain sent: RefreshToken, in db: Database) throws {
    let (row, account, hasIdentities) = try StoredRefreshToken.requireWithAccount(sent, in: db)
    guard let account else { throw AuthError(server: .userNotFound) }
    guard account.tenant.isEmpty, !hasIdentities else { return nil }
    try account.requireEnabled()
    try self.init(prolonging: row, of: account, [], with: sent)
  }
}
