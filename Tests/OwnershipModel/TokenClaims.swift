import GatehouseBase
import GatehouseJOSE

/// What an ID token of the provider says.
struct TokenClaims {
  let uid: String
  let session: String
  let tenant: String

  init(_ idToken: Secret) throws {
    let token = try UnverifiedToken(idToken.revealed)
    guard let uid = token.subject, let session = token["sid"]?.string else { throw Violation("a token without a user") }
    (self.uid, self.session) = (uid, session)
    tenant = token["firebase"]?["tenant"]?.string ?? ""
  }
}
