import GRDB
import GatehouseBase
import IdentityToolkit

/// A signed-in account: the content of its tokens.
struct Session: Sendable {
  /// How a user signed in, as tokens say it.
  static let byPassword = "password"
  static let anonymous = "anonymous"
  static let byCustomToken = "custom"
  static let byPhone = StoredAccount.byPhone

  var account: StoredAccount
  var refreshToken: RefreshToken
  /// Names the sign-in, in ID tokens as `sid`: the hash of its first refresh token, from which no token can be had.
  var id: String
  /// How and when the user signed in; refreshing does not change it.
  var provider: String
  var authTime: Int64
  /// What a custom token said of the user; refreshing does not change it.
  var claims = JSONObject()
  /// The second factor of the sign-in.
  var factor: UsedFactor?
  /// The identity providers' users who sign in to the account.
  var identities: [StoredIdentity]

  /// Begins one: the token is good once the transaction has ended.
  ///
  /// It begins at the account's `validSince` if the clock has been set back before it; otherwise it would end at once.
  ///
  /// - Parameter signedIn: when the user signed in, of a session that takes another one's place: linking is no sign-in.
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
      claims: claims.isEmpty ? nil : claims.description, factor: factor?.kind, factorID: factor?.id
    ).insert(db)
    try account.noteRefresh(at: now, in: db)
  }

  /// The session that a stored refresh token prolongs. Refuses one whose account is gone, disabled, or was signed out,
  /// or whose tenant is switched off.
  init(prolonging row: StoredRefreshToken, with token: RefreshToken, in db: Database) throws {
    guard let account = try StoredAccount.find(uid: row.uid, in: db) else { throw AuthError(server: "USER_NOT_FOUND") }
    try account.requireEnabled()
    try account.requireTenantSwitchedOn(in: db)
    guard row.state == .valid, row.authTime >= account.validSince else { throw AuthError(server: "TOKEN_EXPIRED") }
    self.account = account
    identities = try StoredIdentity.all(of: account.uid, in: db)
    provider = row.provider
    authTime = row.authTime
    id = row.session
    refreshToken = token
    factor = row.factor.map { UsedFactor(kind: $0, id: row.factorID) }
    if let claims = row.claims { self.claims = try JSONObject(parsing: claims.utf8) }
  }
}
