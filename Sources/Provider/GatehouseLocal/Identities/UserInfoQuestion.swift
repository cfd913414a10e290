import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP

/// Asks an OAuth provider for the user of an access token, after checking that the token was issued to this app.
struct UserInfoQuestion: Sendable {
  let endpoint: UserInfoEndpoint
  let accessToken: Secret
  /// The token's secret, for OAuth 1.
  let tokenSecret: Secret?
  let timeout: Duration
  let clocks: any Clocks

  /// - Throws: `INVALID_IDP_RESPONSE` for a token that is not accepted; `.networkError` and `.deadlineExceeded`.
  func answer(by transport: any HTTPTransport) async throws(AuthError) -> JSONObject {
    guard accessToken.isHeaderValue else { throw Self.refused("the access token has characters that no token has") }
    try await requireOwnToken(by: transport)
    var request = request(.get, endpoint.url)
    request.headers["Authorization"] = try authorization(of: request)
    return try await object(request, by: transport)
  }

  /// - Throws: `INVALID_IDP_RESPONSE` for a token that was issued to another app, or is no longer valid.
  private func requireOwnToken(by transport: any HTTPTransport) async throws(AuthError) {
    switch endpoint.check {
    case .introspection(let url, let client, let secret):
      var request = request(.post, url)
      request.headers["Authorization"] = Self.basic(client, secret)
      request.headers["Content-Type"] = "application/x-www-form-urlencoded"
      request.body = Array(
        FormEncoding.encode([("token", accessToken.revealed), ("token_type_hint", "access_token")]).utf8)
      let answer = try await object(request, by: transport)
      guard answer["active"]?.bool == true else { throw Self.refused("the access token is not active") }
      guard answer["client_id"]?.string?.isExactly(client) == true else { throw Self.otherApp }
    case .gitHub(let client, let secret, let api):
      var request = request(.post, "\(api)/applications/\(FormEncoding.escaped(client))/token")
      request.headers["Authorization"] = Self.basic(client, secret)
      request.headers["Content-Type"] = "application/json"
      request.body = JSONObject(["access_token": .string(accessToken.revealed)]).serialized()
      // GitHub answers with 404 for a token of another app.
      let answer = try await object(request, by: transport)
      guard answer["app"]?.object?["client_id"]?.string?.isExactly(client) == true else { throw Self.otherApp }
    case .facebook(let app, let secret, let api):
      let query = FormEncoding.encode([
        ("input_token", accessToken.revealed), ("access_token", "\(app)|\(secret.revealed)"),
      ])
      let answer = try await object(request(.get, "\(api)/debug_token?\(query)"), by: transport)
      let data = answer["data"]?.object
      guard data?["is_valid"]?.bool == true else { throw Self.refused("the access token is not valid") }
      guard data?["app_id"]?.string?.isExactly(app) == true else { throw Self.otherApp }
    case .signedRequest, .tokensOfAnyApp: break
    }
  }

  private func authorization(of request: TransportRequest) throws(AuthError) -> String {
    guard case .signedRequest(let key, let secret) = endpoint.check else { return "Bearer \(accessToken.revealed)" }
    guard let tokenSecret else { throw Self.refused("oauth_token_secret is missing") }
    let signature = OAuth1Signature(
      consumerKey: key, consumerSecret: secret, token: accessToken, tokenSecret: tokenSecret,
      nonce: SystemRandomSource().identifier(), seconds: Int64(clamping: clocks.now().wall))
    return try signature.authorization(of: request)
  }

  private func request(_ method: TransportRequest.Method, _ url: String) -> TransportRequest {
    // GitHub refuses requests without a User-Agent.
    TransportRequest(
      method, url, headers: ["Accept": "application/json", "User-Agent": "Gatehouse"], timeout: timeout,
      maximumResponseLength: 1 << 18)
  }

  private func object(_ request: TransportRequest, by transport: any HTTPTransport) async throws(AuthError)
    -> JSONObject
  {
    let response = try await transport.send(request)
    switch response.status {
    case 200: break
    case 400..<500: throw Self.refused("the provider answers with status \(response.status)")
    default: throw AuthError(.networkError, "the identity provider answers with status \(response.status); try again")
    }
    guard let object = try? JSONObject(reading: response.body) else {
      throw Self.refused("the provider answers with what is no JSON object")
    }
    return object
  }

  private static func basic(_ user: String, _ secret: Secret) -> String {
    // RFC 6749, section 2.3.1: both are form-encoded first.
    let pair = "\(FormEncoding.escaped(user)):\(FormEncoding.escaped(secret.revealed))"
    return "Basic \(Base64.encode(Array(pair.utf8)))"
  }

  private static var otherApp: AuthError { refused("the access token was given to another app") }

  private static func refused(_ reason: String) -> AuthError { AuthError(server: .invalidIDPResponse, "\(reason)") }
}

extension Secret {
  /// Whether the text can be used in a header field: visible ASCII.
  fileprivate var isHeaderValue: Bool {
    let bytes = revealed.utf8
    return (1...8192).contains(bytes.count) && bytes.allSatisfy { 0x21...0x7E ~= $0 }
  }
}
