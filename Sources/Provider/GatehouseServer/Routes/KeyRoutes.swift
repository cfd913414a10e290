import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseJOSE
import GatehouseQueues

extension Route {
  /// The public keys, in the three formats that verifiers request.
  static let ofKeys: [Route] =
    [
      "/.well-known/jwks.json", "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
      "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    ].map { open("GET", $0) { try await $0.keySet() } }
    + [
      "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
      "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
      "/identitytoolkit/v3/relyingparty/publicKeys", "/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys",
      "/v1/sessionCookiePublicKeys", "/identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys",
    ].map { open("GET", $0) { try await $0.certificates() } }
    + [open("GET", "/.well-known/openid-configuration") { try $0.discovery() }]
}

extension RoutedRequest {
  fileprivate func keySet() async throws -> ServerResponse {
    let sets = try await keySets()
    return ServerResponse(keys: try JWKSet(sets.flatMap(\.keys)).json.object ?? [:])
  }

  /// Returns `{kid: certificate}`. A verifier only uses the key in a certificate.
  fileprivate func certificates() async throws -> ServerResponse {
    let known = scene.certificates.withLock { $0 }
    var certificates = JSONObject()
    for key in try await keySets().flatMap(\.keys) {
      guard let name = key.keyID, let publicKey = key.key.publicKey else { continue }
      certificates[name] = try known[name] ?? .string(CertificateIssuer().certificate(of: publicKey).pem)
    }
    scene.certificates.withLock { [certificates] in $0 = certificates }
    return ServerResponse(keys: certificates)
  }

  /// The keys of all projects: a verifier finds the one of a token by its name.
  private func keySets() async throws -> [JWKSet] {
    var sets: [JWKSet] = []
    for scene in await scene.all { sets.append(try await scene.provider.keySet(for: caller)) }
    return sets
  }

  /// Returns the discovery document (OpenID Connect Discovery 1.0 §3). A verifier only finds it if the provider's
  /// issuer, `LocalOptions.issuer`, is this server's own address.
  fileprivate func discovery() throws -> ServerResponse {
    let provider = scene.provider
    var response = ServerResponse(keys: [
      "issuer": .string(provider.issuer), "jwks_uri": .string("\(try publicURL)/.well-known/jwks.json"),
      "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["RS256", "ES256"],
    ])
    if scene.options.publicURL == nil { response.headers.add("Vary", "Host") }
    return response
  }

  /// The URL at which clients reach the server.
  var publicURL: String {
    get throws(Refusal) {
      if let address = scene.options.publicURL { return address }
      guard let host = request.value(of: .host), host.utf8.count <= 255, (try? HTTPOrigin(authority: host)) != nil
      else {
        throw .invalid("the request's Host is missing or malformed")
      }
      return "\(request.isSecure ? "https" : "http")://\(host)"
    }
  }
}

extension ServerResponse {
  /// Makes an answer with public keys. A cache may keep it for five minutes, which is less than the time for which a
  /// new key is published before it signs, by default.
  fileprivate init(keys: JSONObject) {
    self.init(json: keys)
    headers["Cache-Control"] = "public, max-age=300, must-revalidate"
    // The answer to a page names its origin.
    headers.add("Vary", "Origin")
  }
}
