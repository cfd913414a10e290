import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE

/// A request to Google's IAM to sign a token with a service account's key, which only IAM has.
///
/// Source: https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signJwt
struct SignatureRequest {
  private let claims: JSONObject
  private let email: String

  init(_ claims: JSONObject, by email: String) {
    self.claims = claims
    self.email = email
  }

  func http(with token: Secret) -> TransportRequest {
    let account = FormEncoding.escaped(email)
    let body: JSONObject = ["payload": .string(claims.description)]
    var request = TransportRequest.post(
      "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(account):signJwt", json: body.serialized())
    request.headers["Authorization"] = "Bearer \(token.revealed)"
    return request
  }

  /// Returns the token of an answer.
  func signedToken(of response: TransportResponse, at now: Double) throws(AuthError) -> String {
    switch response.status {
    case 200: break
    case 401, 403:
      throw AuthError(
        .adminRestrictedOperation,
        "Google's IAM does not sign for \(email.printable()); give the credential the role "
          + "roles/iam.serviceAccountTokenCreator on that account")
    case 404:
      throw AuthError(.invalidArgument, "there is no service account \(email.printable()); check its address")
    default:
      if let unavailability = Unavailability(response, at: now) {
        throw AuthError(
          response.status == 429 ? .tooManyRequests : .networkError, "Google's IAM \(unavailability.text)",
          retryAfter: unavailability.retryAfter)
      }
      throw AuthError(.responseInvalid, "Google's IAM answered with status \(response.status)")
    }
    guard let signed = (try? JSONObject(reading: response.body))?["signedJwt"]?.string,
      let token = try? UnverifiedToken(signed), claims.members.allSatisfy({ token[$0.name] == $0.value })
    else { throw AuthError(.responseInvalid, "the answer of Google's IAM is not the token that it was to sign") }
    return signed
  }
}

extension JSONObject {
  /// An unsigned token with these claims, for an emulator, which requires no proof.
  var unsigned: String {
    let header: JSONObject = ["alg": "none", "typ": "JWT"]
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(serialized()))."
  }
}
