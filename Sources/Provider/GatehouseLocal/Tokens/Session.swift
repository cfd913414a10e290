import GRDB
import GatehouseBase
import IdentityToolkit

/// A signed-in account: the content of its tokens.
struct Session: Sendable {
  /// The sign-in methods, as named in tokens.
  static let byPassword = "password"
  static let anonymous = "anonymous"
  static let byCustomToken = "custom"
  static let byPhone = StoredAccount.byPhone

  var account: StoredAccount
  var refreshToken: RefreshToken
  /// The identifier of the sign-in, in ID tokens as `sid`: the hash of its first refresh token, from which the token
  /// cannot be derived.
  var id: String
  /// The sign-in method, and then the time of the sign-in; refreshing does not change them.
  var provider: String
  var authTime: Int64
  /// The claims of a custom token; refreshing does not change them.
  var claims = JSONObject()
  /// The second factor of the sign-in.
  var factor: UsedFactor?
  /// The identity providers' users who sign in to the account.
  var identities: [StoredIdentity]

  /// Begins a session, and removes one of the account's if there are too many. The refresh token is valid once the
  /// transaction is committed.
  ///
  /// If the clock was set back to before the account's `validSince`, the session begins at that time, because it would
  /// otherwise end at once.
  ///
  /// - Parameter signedIn: the time of the sign-in, for a session that replaces another one, because a change is not a
  ///   sign-in.
  init(
    beginning token: RefreshToken, of account: StoredAccount, by provider: String, claims: JSONObject = JSONObject(),
    factor: UsedFactor? = nil, since signedIn: Int64? = nil, at now: Moment, in db: Database
  ) throws {
    self.account = account
    self.provider = provider
    refreshToken = token
    authTime = max(signedIn ?? now.seconds, account.validSince)
    identities = try StoredIdentity.all(of: account.uid, in: db)
    id = token.hash
    self.claims = claims
    self.factor = factor
    try StoredRefreshToken(
      hash: token.hash, uid: account.uid, session: token.hash, provider: provider, authTime: authTime,
      claims: claims.isEmpty ? nil : claims.description, factor: factor?.kind, factorID: factor?.id,
      signedInAt: signedIn, network: try KnownDevice.hash(ofNetworkOf: .current, for: account)
    ).insert(db)
    try StoredRefreshToken.removeExcess(of: account.uid, besides: id, in: db)
    try account.noteRefresh(at: now, in: db)
    let isFirst = account.lastRefreshAt == nil
    try KnownDevice.note(networkOf: .current, for: account, isOwners: isFirst, at: now, in: db)
  }

  /// Continues the session of a stored refresh token. Refuses one whose account is deleted, disabled, or was signed
  /// out, or whose tenant is disabled.
  init(prolonging row: StoredRefreshToken, with token: RefreshToken, in db: Database) throws {
    guard let account = try StoredAccount.find(uid: row.uid, in: db) else { throw AuthError(server: .userNotFound) }
    try account.requireEnabled()
    try account.requireTenantSwitchedOn(in: db)
    try self.init(prolonging: row, of: account, try StoredIdentity.all(of: account.uid, in: db), with: token)
  }

  /// As above, for an account that was already read and checked: it is enabled, and so is its tenant.
  init(
    prolonging row: StoredRefreshToken, of account: StoredAccount, _ identities: [StoredIdentity],
    with token: RefreshToken
  ) throws(AuthError) {
    guard row.state == .valid, row.authTime >= account.validSince else { throw AuthError(server: .tokenExpired) }
    self.account = account
    self.identities = identities
    provider = row.provider
    authTime = row.authTime
    id = row.session
    refreshToken = token
    factor = row.factor.map { UsedFactor(kind: $0, id: row.factorID) }
    if let claims = row.claims { self.claims = try JSONObject(reading: claims.utf8) }
  }
}
