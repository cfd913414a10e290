import Dispatch
import Gatehouse
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseQueues
import GatehouseREST
import GatehouseTesting
import HangGuard
import Testing

/// Google's emulator does not sign its tokens. Only a program that was told to use an emulator can read them.
@Suite(.endsIfItHangs) struct UnsignedTokensTests {
  private func backend(
    _ server: UnsigningServer, _ place: RESTServer = .emulator(host: "localhost", port: 80)
  ) -> RESTBackend {
    RESTBackend(
      apiKey: "k", options: RESTOptions(server: place, clocks: server.scene.clock), transport: server)
  }

  @Test(arguments: BackendContract.all)
  func `the client keeps its contract at an emulator that signs nothing`(_ check: BackendContract.Check) async throws {
    try await check.run { backend(UnsigningServer()) }
  }

  @Test func `a user reads the claims of a token from an emulator, and of no other server`() async throws {
    for (place, code) in [
      (RESTServer.emulator(host: "localhost", port: 80), AuthErrorCode?.none),
      (RESTServer(url: "http://localhost"), .tokenMalformed),
    ] {
      let server = UnsigningServer()
      let auth = Auth(
        .init(backend: backend(server, place), callbackQueue: .global(), clocks: server.scene.clock))
      let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
      let token = try await user.getIDToken()
      #expect(token.hasSuffix("."), "it has no signature")
      do {
        let read = try await user.getIDTokenResult()
        #expect(code == nil && read.claims["email"]?.string == "ada@example.com" && read.signInProvider == "password")
      } catch { #expect((error as? AuthError)?.code == code) }
      let completed = await withCheckedContinuation { done in
        user.getIDTokenResult { done.resume(returning: $0) }
      }
      #expect((try? completed.get())?.claims["email"]?.string == (code == nil ? "ada@example.com" : nil))
    }
  }

  @Test func `an emulator's administrator takes an unsigned token, whose claims must be right`() async throws {
    let server = UnsigningServer()
    let admin = try admin(server, .emulator)
    let reply = await server.scene.signUp()
    let claims = try UnverifiedToken(reply.idToken).claims
    let token = try await admin.verifyIDToken(claims.asUnsignedToken, checkRevoked: true)
    #expect(token.subject == reply["localId"] && token["email"]?.string == "ada@example.com")
    #expect(try await admin.verifyIDToken(reply.idToken).subject == reply["localId"], "a signed one as well")
    let cookie = try await admin.createSessionCookie(forIDToken: reply.idToken, expiresIn: .seconds(600))
    #expect(cookie.hasSuffix("."))
    #expect(try await admin.verifySessionCookie(cookie).subject == reply["localId"])
    for (name, value, code) in [
      ("exp", JSONValue.number(JSONNumber(1_000_000_000)), AuthErrorCode.claimInvalid),
      ("aud", "other", .audienceMismatch),
      ("iss", "https://securetoken.google.com/other", .issuerMismatch), ("sub", "", .claimInvalid),
    ] {
      var wrong = claims
      wrong[name] = value
      let error = await #expect(throws: AuthError.self) { try await admin.verifyIDToken(wrong.asUnsignedToken) }
      #expect(error?.code == code, "\(name): \(error as Any)")
    }
    var revoked = claims
    revoked["auth_time"] = .number(JSONNumber(1))
    try await admin.revokeRefreshTokens(forUID: reply["localId"] ?? "")
    let error = await #expect(throws: AuthError.self) {
      try await admin.verifyIDToken(revoked.asUnsignedToken, checkRevoked: true)
    }
    #expect(error?.code == .tokenRevoked)
    server.scene.clock.advance(by: .seconds(7200))
    let late = await #expect(throws: AuthError.self) { try await admin.verifyIDToken(claims.asUnsignedToken) }
    #expect(late?.code == .tokenExpired)
  }

  @Test func `a token that says it is unsigned and has a signature is not taken, nor any by another administrator`()
    async throws
  {
    let server = UnsigningServer()
    let reply = await server.scene.signUp()
    let unsigned = try UnverifiedToken(reply.idToken).claims.asUnsignedToken
    let owner = try admin(server, .emulator)
    for text in [unsigned + "AAAA", unsigned + ".", String(unsigned.dropLast()), "." + unsigned] {
      await #expect(throws: AuthError.self, "\(text.suffix(8))") { try await owner.verifyIDToken(text) }
    }
    let account = try ServiceAccount(json: try await KeyFile(server.scene, tokenURL: "http://localhost/token").text)
    let other = try admin(server, .serviceAccount(account))
    let error = await #expect(throws: AuthError.self) { try await other.verifyIDToken(unsigned) }
    #expect(error?.code == .tokenMalformed)
  }

  private func admin(_ server: UnsigningServer, _ credential: AdminCredential) throws -> AdminAuth {
    var options = AdminOptions()
    options.projectID = "local"
    options.clocks = server.scene.clock
    options.server = RESTServer(url: "http://localhost")
    return AdminAuth(credential: credential, options: options, transport: server)
  }
}

/// A server that answers as Google's emulator does: its ID tokens and session cookies have no signature.
private final class UnsigningServer: HTTPTransport {
  let scene = ServerScene(isEmulator: true)
  /// The signed tokens, by the ones that were sent in their place.
  private let signed = Lock<[String: String]>([:])

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    var request = request
    let signed = signed.withLock { $0 }
    request.body = request.body.map { body in
      var text = String(decoding: body, as: UTF8.self)
      for (unsigned, signed) in signed { text = text.replacing(unsigned, with: signed) }
      return Array(text.utf8)
    }
    let response = try await ServerTransport(scene: scene).send(request)
    guard var json = try? JSONObject(parsing: response.body) else { return response }
    for name in ["idToken", "id_token", "access_token", "sessionCookie"] {
      guard let token = json[name]?.string, let claims = try? UnverifiedToken(token).claims else { continue }
      let unsigned = claims.asUnsignedToken
      self.signed.withLock { $0[unsigned] = token }
      json[name] = .string(unsigned)
    }
    return TransportResponse(
      status: response.status, headers: response.headers, body: json.serialized(), url: response.url)
  }
}

extension JSONObject {
  /// A token with these claims, as Google's emulator makes them.
  fileprivate var asUnsignedToken: String {
    let header: JSONObject = ["alg": "none", "typ": "JWT"]
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(serialized()))."
  }
}
