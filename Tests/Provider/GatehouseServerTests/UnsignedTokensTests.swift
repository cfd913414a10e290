import Dispatch
import Gatehouse
import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseLocal
import GatehouseREST
import GatehouseServer
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
    let claims = try UnsecuredToken(reply.idToken).claims
    let token = try await admin.verifyIDToken(claims.asUnsignedToken, checkRevoked: true)
    #expect(token.subject == reply["localId"] && token["email"]?.string == "ada@example.com")
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
    let unsigned = reply.idToken
    let owner = try admin(server, .emulator)
    for text in [unsigned + "AAAA", unsigned + ".", String(unsigned.dropLast()), "." + unsigned] {
      await #expect(throws: AuthError.self, "\(text.suffix(8))") { try await owner.verifyIDToken(text) }
    }
    let account = try ServiceAccount(json: try await KeyFile(server.scene, tokenURL: "http://localhost/token").text)
    let other = try admin(server, .serviceAccount(account))
    let error = await #expect(throws: AuthError.self) { try await other.verifyIDToken(unsigned) }
    #expect(error?.code == .tokenMalformed)
  }

  @Test func `an emulator that leaves tokens unsigned takes its own tokens, and no other claims`()
    async throws
  {
    let scene = ServerScene(isEmulator: true) { $0.actAsEmulator(signingTokens: false) }
    let reply = await scene.signUp()
    let parts = reply.idToken.split(separator: ".", omittingEmptySubsequences: false)
    let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
    #expect(parts[0].description == header, "\(reply.idToken)")
    #expect(parts.count == 3 && parts[2].isEmpty)
    func status(of token: String) async -> Int {
      await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(token)"}"#).status
    }
    #expect(await status(of: reply.idToken) == 200)
    let fresh = await scene.post(
      "/v1/token", #"{"grant_type":"refresh_token","refresh_token":"\#(reply["refreshToken"] ?? "")"}"#)
    #expect(fresh["id_token"]?.hasSuffix(".") == true, "\(fresh.json)")
    #expect(await status(of: fresh["id_token"] ?? "") == 200)
    let claims = try UnsecuredToken(reply.idToken).claims
    for (name, value) in [("aud", JSONValue.string("other")), ("sub", "none"), ("exp", 1), ("sid", "none")] {
      var wrong = claims
      wrong[name] = value
      #expect(await status(of: wrong.asUnsignedToken) == 400, "\(name)")
    }
    #expect(await status(of: reply.idToken + "AAAA") == 400)
    scene.clock.advance(by: .seconds(7200))
    #expect(await status(of: reply.idToken) == 400, "it has expired")
  }

  @Test func `an unsigned token ends with its session, and one that names no session is never taken`() async throws {
    for (number, end) in [
      #""sessionId":"SID""#, "", "sign-in elsewhere and revoke",
    ].enumerated() {
      let scene = ServerScene(isEmulator: true) { $0.actAsEmulator(signingTokens: false) }
      let owner: TransportHeaders = ["Authorization": "Bearer owner"]
      let reply = await scene.signUp()
      let claims = try UnsecuredToken(reply.idToken).claims
      var nameless = claims, others = claims
      nameless["sid"] = nil
      others["sid"] = .number(JSONNumber(1))
      func lookup(_ token: String) async -> String? {
        let reply = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(token)"}"#)
        return reply.status == 200 ? "taken" : reply.message
      }
      func cookie(_ token: String) async -> Reply {
        await scene.post(
          "/v1/projects/local:createSessionCookie", #"{"idToken":"\#(token)","validDuration":"600"}"#, headers: owner)
      }
      #expect(await lookup(reply.idToken) == "taken")
      #expect(await lookup(nameless.asUnsignedToken) == "INVALID_ID_TOKEN")
      #expect(await lookup(others.asUnsignedToken) == "INVALID_ID_TOKEN")
      #expect(await cookie(nameless.asUnsignedToken).message == "INVALID_ID_TOKEN")
      let made = try #require(await cookie(reply.idToken)["sessionCookie"])
      #expect(try await scene.provider.verifySessionCookie(made, checkingRevocation: true).subject == reply["localId"])
      // By the session itself, all sessions from within, and an administrator's revocation.
      let sid = claims["sid"]?.string ?? ""
      let ended =
        number < 2
        ? await scene.post(
          "/gatehouse/v1/sessions:revoke",
          #"{"idToken":"\#(reply.idToken)"\#(end.isEmpty ? "" : "," + end.replacing("SID", with: sid))}"#)
        : await scene.post(
          "/v1/projects/local/accounts:update",
          #"{"localId":"\#(reply["localId"] ?? "")","validSince":"4000000000"}"#, headers: owner)
      #expect(ended.status == 200, "\(ended.json)")
      for token in [claims, nameless] {
        #expect(await lookup(token.asUnsignedToken) != "taken", "\(end)")
        #expect(await cookie(token.asUnsignedToken).status == 400)
      }
      await #expect(throws: AuthError.self) {
        try await scene.provider.verifySessionCookie(made, checkingRevocation: true)
      }
    }
  }

  @Test func `only an emulator may leave tokens unsigned, and no other provider takes them`() async throws {
    let scene = ServerScene(isEmulator: true)
    let reply = await scene.signUp()
    #expect(!reply.idToken.hasSuffix("."), "tokens are signed unless the options say otherwise")
    let unsigned = try UnverifiedToken(reply.idToken).claims.asUnsignedToken
    #expect(await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(unsigned)"}"#).message == "INVALID_ID_TOKEN")
    var options = LocalOptions()
    options.actAsEmulator(signingTokens: false)
    (options.acceptsUnverifiedIdentities, options.acceptsUnverifiedCustomTokens) = (false, false)
    #expect(throws: AuthError.self) { try options.check() }
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
private struct UnsigningServer: HTTPTransport {
  let scene = ServerScene(isEmulator: true) { $0.actAsEmulator(signingTokens: false) }

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    try await ServerTransport(scene: scene).send(request)
  }
}

extension JSONObject {
  /// A token with these claims, as Google's emulator makes them.
  fileprivate var asUnsignedToken: String {
    let header: JSONObject = ["alg": "none", "typ": "JWT"]
    return "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(serialized()))."
  }
}
