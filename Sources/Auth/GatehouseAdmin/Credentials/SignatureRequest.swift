import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE

/// A request to Google's IAM to sign a token with a service account's key, which only IAM has.
///
/// Source: https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signJwt
struct SignatureRequest {
  private let claims: JSONObject
  private let email: String
  private let delegates: [String]

  /// - Parameter delegates: the service accounts in between, each of which acts for the next one.
  init(_ claims: JSONObject, by email: String, delegates: [String] = []) {
    self.claims = claims
    self.email = email
    self.delegates = delegates
  }

  func http(with token: Secret) -> TransportRequest {
    let account = FormEncoding.escaped(email)
    var body: JSONObject = ["payload": .string(claims.description)]
    if !delegates.isEmpty { body["delegates"] = .array(delegates.map(JSONValue.string)) }
    var request = TransportRequest.post(
      "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(account):signJwt", json: body.serialized())
    request.headers["Authorization"] = "Bearer \(token.revealed)"
    return request
  }

  /// Returns the token of an answer.
  func signedToken(of response: TransportResponse, at now: Double) throws(AuthError) -> String {
    try IAMRefusal.check(response, for: email, to: "sign for", at: now)
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
