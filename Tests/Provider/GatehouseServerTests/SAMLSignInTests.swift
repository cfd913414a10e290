import Foundation
import GatehouseBase
import GatehouseServer
import TestSupport
import Testing

/// `accounts:signInWithIdp` with a SAML response, over a socket. An emulator accepts it without verification; any other
/// server refuses it.
struct SAMLSignInTests {
  private static let response = #"""
    {"assertion":{"subject":{"nameId":"ada@example.com"},"attributeStatements":{"name":"Ada","team":["a","b"]}}}
    """#
  private static let config = #"""
    {"enabled":true,"idpConfig":{"idpEntityId":"i","ssoUrl":"https://i.example/","idpCertificates":[{
      "x509Certificate":"PEM"}]},"spConfig":{"spEntityId":"s"}}
    """#

  @Test func `an emulator takes a SAML response at its word`() async throws {
    let scene = ServerScene(isEmulator: true)
    let server = HTTPServer(scene.server)
    let address = try await server.start()
    do {
      let first = try await signIn(Self.response, at: address)
      #expect(first["providerId"]?.string == "saml.one" && first["isNewUser"]?.bool == true)
      #expect(first["email"]?.string == "ada@example.com" && first["emailVerified"]?.bool == true)
      #expect(first["displayName"]?.string == "Ada")
      let profile = try JSONObject(parsing: (first["rawUserInfo"]?.string ?? "").utf8)
      #expect(profile["team"]?.array == ["a", "b"])
      let again = try await signIn(Self.response, at: address)
      #expect(again["localId"] == first["localId"] && again["isNewUser"]?.bool == false)
      let token = try #require(first["idToken"]?.string)
      let found = try await send("/v1/accounts:lookup?key=k", #"{"idToken":"\#(token)"}"#, at: address)
      let identity = found["users"]?.array?.first?["providerUserInfo"]?.array?.first
      #expect(identity?["providerId"]?.string == "saml.one" && identity?["rawId"]?.string == "ada@example.com")
      let claims = try UnverifiedClaims(token)
      #expect(claims.provider == "saml.one")
      let opaque = try await signIn(#"{"assertion":{"subject":{"nameId":"u-7"}}}"#, at: address)
      #expect(opaque["isNewUser"]?.bool == true && opaque["email"] == nil)
      for wrong in ["{}", #"{"assertion":{}}"#, #"{"assertion":{"subject":{}}}"#, "PHNhbWw+", ""] {
        let refused = try await signIn(wrong, at: address)
        #expect(refused["error"]?["message"]?.string?.hasPrefix("INVALID_IDP_RESPONSE") == true, "\(wrong): \(refused)")
      }
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  @Test func `another server takes no SAML response, though its provider is configured and switched on`() async throws {
    let scene = ServerScene()
    let account = try await KeyFile(scene)
    let made = await scene.send(
      ServerRequest(
        "POST", "/v2/projects/local/inboundSamlConfigs?inboundSamlConfigId=saml.one",
        headers: ["Authorization": "Bearer \(try await account.accessToken(scene))"],
        body: Array(Self.config.utf8)))
    #expect(made.status == 200)
    let server = HTTPServer(scene.server)
    let address = try await server.start()
    do {
      for response in [Self.response, #"{"sub":"u-7"}"#, "PHNhbWw+"] {
        let refused = try await signIn(response, at: address)
        let message = refused["error"]?["message"]?.string
        #expect(message?.hasPrefix("OPERATION_NOT_ALLOWED") == true, "\(refused)")
        #expect(refused["error"]?["code"]?.integer == 400 && refused["idToken"] == nil)
      }
      #expect(try await scene.provider.accounts(after: nil).isEmpty)
    } catch {
      try await server.stop()
      throw error
    }
    try await server.stop()
  }

  private func signIn(_ response: String, at address: ServerAddress) async throws -> JSONObject {
    var form = JSONObject()
    form["requestUri"] = "http://localhost"
    let escaped = response.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    form["postBody"] = .string("providerId=saml.one&SAMLResponse=\(escaped)")
    form["returnSecureToken"] = true
    return try await send("/v1/accounts:signInWithIdp?key=k", form.description, at: address)
  }

  private func send(_ path: String, _ body: String, at address: ServerAddress) async throws -> JSONObject {
    let text = try await onThread {
      let connection = try Connection(to: address)
      connection.send(
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      return connection.readToEnd()
    }
    let parts = try #require(text).components(separatedBy: "\r\n\r\n")
    return try JSONObject(parsing: (parts.dropFirst().first ?? "").utf8)
  }
}

/// The sign-in method in a token, read without verification.
private struct UnverifiedClaims {
  let provider: String?

  init(_ token: String) throws {
    let payload = token.split(separator: ".").dropFirst().first.map(String.init) ?? ""
    let claims = try JSONObject(parsing: Base64URL.decode(payload))
    provider = claims["firebase"]?["sign_in_provider"]?.string
  }
}
