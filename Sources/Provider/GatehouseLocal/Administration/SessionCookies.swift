import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import IdentityToolkit

/// The session cookies, which servers use instead of ID tokens.
struct SessionCookies: ProviderPart {
  let store: ProviderStore
  let keys: SigningKeys

  /// The lifetime of a cookie, in seconds: five minutes to fourteen days, like Firebase's.
  private static let cookieSeconds: ClosedRange<Int64> = 300...1_209_600

  /// - Parameter tenant: the tenant that the token must belong to; `nil` for any.
  func make(of idToken: Secret, lifetime: Duration, in tenant: String? = nil) throws(AuthError) -> String {
    let seconds = lifetime.wholeSeconds
    guard Self.cookieSeconds.contains(seconds) else {
      throw AuthError(.invalidArgument, "a session cookie lives from 5 minutes to 14 days", server: .invalidDuration)
    }
    let now = try now()
    let verified = try keys.verified(idToken, at: now)
    let bearer = try keys.bearer(of: verified, at: now)
    let account = try database.read { db in
      let account = try bearer.account(in: db)
      if let tenant { try account.requireTenant(tenant) }
      try bearer.requireRecentSignIn(to: account, options, in: db)
      return account
    }
    var event = AuditEvent(.sessionCookieMade, of: account, at: now)
    event["session"] = verified["sid"]?.string
    try audit.record(event, at: now)
    var claims = verified.claims
    claims["iss"] = .string("https://session.firebase.google.com/\(options.projectID)")
    claims["iat"] = .number(JSONNumber(now.seconds))
    claims["exp"] = .number(JSONNumber(now.seconds + seconds))
    guard keys.rules.signsTokens else { return claims.unsigned }
    var ring = try keys.ring(at: now)
    while true {
      let (keyID, signer) = try ring.signer(at: now)
      // The key is kept until the cookie has expired. This is on the disk before the cookie is returned.
      let isKept = try database.write { db in
        try db.execute(
          sql: "UPDATE signingKey SET signedUntil = max(signedUntil, ?) WHERE keyID = ? AND removing = 0",
          arguments: [now.seconds + seconds, keyID])
        return db.changesCount == 1
      }
      if isKept { return try typed { try signer.sign(claims) } }
      ring = try keys.reread(at: now)
    }
  }

  func verify(_ cookie: String, checkingRevocation: Bool) throws(AuthError) -> VerifiedToken {
    let now = try now()
    let verified = try keys.verified(cookie: cookie, at: now)
    guard checkingRevocation else { return verified }
    let bearer = try keys.bearer(of: verified, at: now)
    _ = try database.read { db in try bearer.account(in: db) }
    return verified
  }
}
