package import GatehouseBase
import GatehouseCrypto
package import GatehouseHTTP

/// Signs a request with an app's key and a user's token (OAuth 1.0, RFC 5849), with HMAC-SHA1.
package struct OAuth1Signature: Sendable {
  private let consumerKey: String
  private let consumerSecret: Secret
  private let token: Secret
  private let tokenSecret: Secret
  private let nonce: String
  private let seconds: Int64

  /// - Parameter seconds: the time, in seconds since 1970.
  package init(
    consumerKey: String, consumerSecret: Secret, token: Secret, tokenSecret: Secret, nonce: String, seconds: Int64
  ) {
    self.consumerKey = consumerKey
    self.consumerSecret = consumerSecret
    self.token = token
    self.tokenSecret = tokenSecret
    self.nonce = nonce
    self.seconds = seconds
  }

  /// Returns the value of the request's `Authorization` header. The body is not signed: for requests without a form.
  package func authorization(of request: TransportRequest) throws(AuthError) -> String {
    let parameters = [
      ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
      ("oauth_timestamp", "\(seconds)"), ("oauth_token", token.revealed), ("oauth_version", "1.0"),
    ]
    let signature = Base64.encode(try sign(request, parameters))
    let all = parameters + [("oauth_signature", signature)]
    return "OAuth " + all.map { "\($0.0)=\"\(FormEncoding.escaped($0.1))\"" }.joined(separator: ", ")
  }

  private func sign(_ request: TransportRequest, _ parameters: [(String, String)]) throws(AuthError) -> [UInt8] {
    let parts = request.url.split(separator: "?", maxSplits: 1)
    let query = parts.count > 1 ? (try? FormEncoding.decode(String(parts[1]))) ?? [] : []
    // Sorted by their encoded form (RFC 5849, section 3.4.1.3.2).
    let sorted = (parameters + query.map { ($0.name, $0.value) })
      .map { (FormEncoding.escaped($0.0), FormEncoding.escaped($0.1)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    let base = [request.method.rawValue, String(parts[0]), sorted].map(FormEncoding.escaped).joined(separator: "&")
    let key = [consumerSecret.revealed, tokenSecret.revealed].map(FormEncoding.escaped).joined(separator: "&")
    return try LegacyHash.sha1.tag(of: Array(base.utf8), key: SecretBytes(Array(key.utf8)))
  }
}
