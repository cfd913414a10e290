import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import GatehouseTesting
import IdentityToolkit
import Testing

/// Administrators of a server that is no emulator.
struct ServiceAccountTests {
  private let scene = ServerScene {
    $0.enumerationProtection = false
  } options: {
    $0.publicURL = "https://id.example"
  }
  private var lookup: String { "/v1/projects/\(scene.provider.audience)/accounts:lookup" }

  @Test(arguments: ["/token", "/oauth2.googleapis.com/token"])
  func `an assertion gets an access token, which makes an administrator`(path: String) async throws {
    let account = try await KeyFile(scene)
    for audience in ["http://127.0.0.1:9099/token", "https://id.example\(path)", Self.google] {
      let reply = await token(try account.assertion { $0["aud"] = .string(audience) }, at: path)
      #expect(reply.status == 200)
      #expect(reply["token_type"] == "Bearer")
      #expect(reply.json["expires_in"]?.integer == 3600)
      #expect(await ask(reply["access_token"] ?? "") == 200)
    }
  }

  @Test(arguments: ["https://identitytoolkit.googleapis.com/", "https://id.example", "https://id.example/"])
  func `a token that a service account has signed for this server makes an administrator`(audience: String) async throws
  {
    let account = try await KeyFile(scene)
    #expect(
      await ask(
        try account.assertion {
          $0["aud"] = .string(audience)
          $0["sub"] = .string(account.email)
        }) == 200)
  }

  @Test func `only what a service account has signed for the token endpoint gets an access token`() async throws {
    let account = try await KeyFile(scene)
    let stranger = try await KeyFile(ServerScene())
    let user = await scene.signUp()
    let now = Int64(scene.clock.now().wall)
    func refused(_ assertion: String, at location: SourceLocation = #_sourceLocation) async {
      let reply = await token(assertion)
      #expect(reply.status == 400, sourceLocation: location)
      #expect(reply["error"] == "invalid_grant", sourceLocation: location)
      #expect(reply["error_description"]?.isEmpty == false, sourceLocation: location)
      #expect(reply.json.names == ["error", "error_description"], sourceLocation: location)
    }
    #expect(await token(try account.assertion()).status == 200)
    await refused("nonsense")
    await refused(user.idToken)
    await refused(try stranger.assertion())
    await refused(try account.assertion { $0["aud"] = "https://elsewhere.example/token" })
    await refused(try account.assertion { $0["aud"] = nil })
    await refused(try account.assertion { $0["aud"] = "https://id.example" })
    await refused(try account.assertion { $0["iss"] = "someone@local.iam.gserviceaccount.com" })
    await refused(try account.assertion { $0["sub"] = "ada" })
    await refused(try account.assertion { $0["exp"] = nil })
    await refused(try account.assertion { $0["iat"] = nil })
    await refused(try account.assertion { $0["exp"] = .number(JSONNumber(now + 3601)) })
    await refused(
      try account.assertion {
        $0["iat"] = .number(JSONNumber(now - 3600))
        $0["exp"] = .number(JSONNumber(now - 6))
      })
    await refused(
      try account.assertion {
        $0["iat"] = .number(JSONNumber(now + 600))
        $0["exp"] = .number(JSONNumber(now + 900))
      })
    await refused(try account.assertion(signedBy: TokenSigner(key: PrivateKey.generate(.rsa(bits: 2048)))))
    await refused(
      try account.assertion(
        signedBy: TokenSigner(key: PrivateKey.generate(.rsa(bits: 2048)), keyID: account.signer.keyID)))
    await refused(try account.assertion(signedBy: TokenSigner(key: account.key, algorithm: .PS256)))
    let good = try account.assertion()
    let unsigned = good.split(separator: ".").map(String.init)
    await refused("\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(unsigned[1]).")
    await refused(String(good.dropLast(4)) + "AAAA")
  }

  @Test func `a refusal tells neither accounts nor keys, and what is wrong with an assertion only to its signer`()
    async throws
  {
    let account = try await KeyFile(scene)
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let stranger = try TokenSigner(key: key, algorithm: .RS256, keyID: "another")
    let forger = try TokenSigner(key: key, algorithm: .RS256, keyID: account.signer.keyID)
    let other = try TokenSigner(key: PrivateKey.generate(.p256), keyID: account.signer.keyID)
    var told: (access: Set<String>, signIn: Set<String>) = ([], [])
    for signer in [stranger, forger, other] {
      for issuer in [account.email, "someone@local.iam.gserviceaccount.com"] {
        let expired: (inout JSONObject) -> Void = { ($0["iss"], $0["exp"]) = (.string(issuer), 1) }
        let reply = await token(try account.assertion(signedBy: signer, expired))
        told.access.insert(reply["error_description"] ?? "")
        let custom = try account.customToken(signedBy: signer) { $0["iss"] = .string(issuer) }
        told.signIn.insert(try await signIn(with: custom).message ?? "")
      }
    }
    #expect(told.access.count == 1, "\(told.access)")
    #expect(told.signIn.count == 1, "\(told.signIn)")
    let now = Int64(scene.clock.now().wall)
    let early = await token(
      try account.assertion {
        ($0["iat"], $0["exp"]) = (.number(JSONNumber(now + 600)), .number(JSONNumber(now + 900)))
      })
    #expect(early["error_description"]?.contains("`iat` is in the future") == true)
    let elsewhere = await token(try account.assertion { $0["aud"] = "https://elsewhere.example/token" })
    #expect(elsewhere["error_description"]?.contains("aud") == true)
    let expired = try await signIn(with: account.customToken { ($0["iat"], $0["exp"]) = (1, 2) })
    #expect(expired.message?.contains("expired") == true, "\(expired.json)")
  }

  @Test(arguments: [
    ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer", "invalid_request"),
    ("assertion=x", "invalid_request"), ("", "invalid_request"), ("%zz", "invalid_request"),
    ("grant_type=password&username=ada", "unsupported_grant_type"),
    ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=x&assertion=y", "invalid_request"),
    ("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=x", "invalid_grant"),
  ])
  func `a request for an access token that is none is refused in OAuth's words`(body: String, word: String) async {
    let reply = await scene.send(ServerRequest("POST", "/token", headers: Self.form, body: Array(body.utf8)))
    #expect(reply.status == 400)
    #expect(reply["error"] == word)
  }

  @Test func `no other token is an administrator's`() async throws {
    let account = try await KeyFile(scene)
    let user = await scene.signUp()
    let access = try await account.accessToken(scene)
    let cookie = try await scene.provider.sessionCookie(forIDToken: user.idToken, lifetime: .seconds(300))
    #expect(await ask(access) == 200)
    for token in [
      user.idToken, cookie, user["refreshToken"] ?? "", "owner", "x.y.z", "a b",
      try await scene.provider.customToken(forUser: "ada"), try account.customToken(),
      // An assertion for the token endpoint is not one for the calls.
      try account.assertion(), try account.assertion { $0["sub"] = .string(account.email) },
      // Without `sub`, and for another server.
      try account.assertion { $0["aud"] = "https://id.example" },
      try account.assertion {
        $0["sub"] = .string(account.email)
        $0["aud"] = "https://id.example.evil"
      },
      String(access.dropLast(4)) + "AAAA",
    ] {
      #expect(await ask(token) == 401, "\(token.prefix(24))")
    }
    // And the access token is no token of a user.
    let found = await scene.post("/v1/accounts:lookup", #"{"idToken":"\#(access)"}"#)
    #expect(found.message == "INVALID_ID_TOKEN")
    let signIn = await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(access)"}"#)
    #expect(signIn.status == 400)
    scene.clock.advance(by: 3599)
    #expect(await ask(access) == 200)
    scene.clock.advance(by: 1)
    #expect(await ask(access) == 401)
  }

  @Test func `everything of a service account ends with it, though another one gets its name`() async throws {
    let account = try await KeyFile(scene)
    let access = try await account.accessToken(scene)
    let own = try account.assertion {
      $0["sub"] = .string(account.email)
      $0["aud"] = "https://id.example"
    }
    #expect(await ask(access) == 200)
    #expect(await ask(own) == 200)
    _ = try await scene.provider.deleteServiceAccount("backend")
    #expect(await ask(access) == 401)
    #expect(await ask(own) == 401)
    #expect(await token(try account.assertion())["error"] == "invalid_grant")
    #expect(try await signIn(with: account.customToken()).status == 400)
    let next = try await KeyFile(scene)
    #expect(next.email == account.email)
    #expect(await ask(access) == 401)
    #expect(await ask(own) == 401)
    #expect(await ask(try await next.accessToken(scene)) == 200)
  }

  @Test func `an account has several keys, and what was signed with one ends with that one`() async throws {
    let first = try await KeyFile(scene)
    let access = try await first.accessToken(scene)
    let file = Lock<Secret?>(nil)
    let added = try await scene.provider.addServiceAccountKey("backend") { text in file.withLock { $0 = text } }
    let second = try KeyFile(try #require(file.withLock { $0 }), scene.clock)
    #expect(second.email == first.email && second.signer.keyID == added.keyID)
    #expect(Set(added.account.keys.map { Optional($0.keyID) }) == [first.signer.keyID, second.signer.keyID])
    let other = try await second.accessToken(scene)
    func own(_ account: KeyFile, signedBy signer: TokenSigner? = nil) throws -> String {
      try account.assertion(signedBy: signer) {
        $0["sub"] = .string(account.email)
        $0["aud"] = "https://id.example"
      }
    }
    for token in [access, other, try own(first), try own(second)] { #expect(await ask(token) == 200) }
    #expect(try await signIn(with: first.customToken()).status == 200)
    #expect(try await signIn(with: second.customToken()).status == 200)
    // A key is accepted only under its own identifier. If there are two keys, the identifier is required.
    for signer in [
      try TokenSigner(key: second.key, algorithm: .RS256, keyID: first.signer.keyID),
      try TokenSigner(key: second.key, algorithm: .RS256),
      try TokenSigner(key: second.key, algorithm: .RS256, keyID: "another"),
    ] {
      #expect(await ask(try own(second, signedBy: signer)) == 401)
      #expect(await token(try second.assertion(signedBy: signer))["error"] == "invalid_grant")
    }
    let left = try await scene.provider.deleteServiceAccountKey(first.signer.keyID ?? "", of: first.email)
    #expect(left.keys.map { Optional($0.keyID) } == [second.signer.keyID])
    for token in [access, try own(first)] { #expect(await ask(token) == 401) }
    #expect(await token(try first.assertion())["error"] == "invalid_grant")
    let refused = try await signIn(with: first.customToken())
    #expect(refused.status == 400 && refused.message?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
    for token in [other, try own(second)] { #expect(await ask(token) == 200) }
    #expect(try await signIn(with: second.customToken()).status == 200)
  }

  @Test func `the last key stays, ten are the most, and a key whose file is not kept is none`() async throws {
    let first = try await KeyFile(scene)
    let provider = scene.provider
    let only = try #require(first.signer.keyID)
    await #expect(throws: AuthError.self) { try await provider.deleteServiceAccountKey(only, of: "backend") }
    await #expect(throws: AuthError.self) { try await provider.deleteServiceAccountKey("other", of: "backend") }
    await #expect(throws: AuthError.self) { try await provider.deleteServiceAccountKey(only, of: "other") }
    await #expect(throws: AuthError.self) { try await provider.addServiceAccountKey("other") { _ in } }
    await #expect(throws: AuthError.self) {
      try await provider.addServiceAccountKey("backend") { _ throws(AuthError) in throw .cancelled }
    }
    #expect(try await provider.serviceAccounts().first?.keys.map(\.keyID) == [only])
    for _ in 2...10 { _ = try await provider.addServiceAccountKey("backend") { _ in } }
    let error = await #expect(throws: AuthError.self) { try await provider.addServiceAccountKey("backend") { _ in } }
    #expect(error?.code == .quotaExceeded)
    _ = try await provider.deleteServiceAccount("backend")
    // A new account of the same name has none of these keys.
    let next = try await KeyFile(scene)
    #expect(try await provider.serviceAccounts().first?.keys.map { Optional($0.keyID) } == [next.signer.keyID])
  }

  @Test func `a custom token of a service account signs in, of none other`() async throws {
    let account = try await KeyFile(scene)
    let signedIn = try await signIn(with: account.customToken())
    #expect(signedIn.status == 200)
    let claims = try UnverifiedToken(signedIn.idToken).claims
    #expect(claims["sub"]?.string == "ada")
    #expect(claims["role"]?.string == "countess")
    #expect(
      try await signIn(with: account.customToken { $0["aud"] = "https://id.example" }).message == "CREDENTIAL_MISMATCH")
    for change: @Sendable (inout JSONObject) -> Void in [
      { $0["sub"] = "ada" }, { $0["uid"] = nil }, { $0["uid"] = "" }, { $0["exp"] = .number(JSONNumber(1 << 40)) },
      { $0["claims"] = ["sub": "root"] },
    ] {
      let reply = try await signIn(with: account.customToken(change))
      #expect(reply.message?.hasPrefix("INVALID_CUSTOM_TOKEN") == true)
    }
    let stranger = try await KeyFile(ServerScene())
    #expect(try await signIn(with: stranger.customToken()).status == 400)
  }

  @Test func `an unusable provider is no wrong credential`() async throws {
    let account = try await KeyFile(scene)
    let access = try await account.accessToken(scene)
    try await scene.provider.close()
    #expect(await ask(access) == 503)
    #expect(await token(try account.assertion()).status == 503)
  }

  // MARK: Requests

  /// What google-auth signs for.
  private static let google = "https://oauth2.googleapis.com/token"
  private static let form: TransportHeaders = ["Content-Type": "application/x-www-form-urlencoded"]

  private func token(_ assertion: String, at path: String = "/token") async -> Reply {
    await scene.send(KeyFile.grant(assertion, at: path))
  }

  /// The status of an administrator's call.
  private func ask(_ bearer: String) async -> Int {
    await scene.send(
      ServerRequest(
        "POST", lookup, headers: ["Authorization": "Bearer \(bearer)"], body: Array(#"{"localId":["ada"]}"#.utf8))
    ).status
  }

  private func signIn(with token: String) async throws -> Reply {
    await scene.post("/v1/accounts:signInWithCustomToken", #"{"token":"\#(token)","returnSecureToken":true}"#)
  }
}

/// The file of a service account, as its owner reads it.
struct KeyFile: Sendable {
  /// The whole file.
  let text: Secret
  let json: JSONObject
  let email: String
  let key: PrivateKey
  let signer: TokenSigner
  private let now: @Sendable () -> Int64

  /// Makes the account at a scene's provider.
  init(
    _ scene: ServerScene, name: String = "backend", tokenURL: String = "http://127.0.0.1:9099/token"
  ) async throws {
    let file = Lock<Secret?>(nil)
    let record = try await scene.provider.createServiceAccount(.init(name: name, tokenURL: tokenURL)) { text in
      file.withLock { $0 = text }
    }
    try self.init(try #require(file.withLock { $0 }), scene.clock)
    #expect(email == record.email)
  }

  /// Reads a file.
  init(_ text: Secret, _ clock: ManualClocks) throws {
    self.text = text
    json = try JSONObject(parsing: text.revealed.utf8)
    email = try #require(json["client_email"]?.string)
    key = try PrivateKey(pem: try #require(json["private_key"]?.string))
    signer = try TokenSigner(key: key, algorithm: .RS256, keyID: json["private_key_id"]?.string)
    now = { Int64(clock.now().wall) }
  }

  /// An assertion for the token endpoint, as Google's libraries make it.
  func assertion(
    signedBy other: TokenSigner? = nil, _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var claims: JSONObject = [
      "iss": .string(email), "aud": json["token_uri"] ?? .null, "iat": .number(JSONNumber(now())),
      "exp": .number(JSONNumber(now() + 3600)), "scope": "https://www.googleapis.com/auth/identitytoolkit",
    ]
    change(&claims)
    return try (other ?? signer).sign(claims)
  }

  func customToken(
    signedBy other: TokenSigner? = nil, _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    try assertion(signedBy: other) {
      $0["aud"] = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
      $0["sub"] = .string(email)
      $0["uid"] = "ada"
      $0["claims"] = ["role": "countess"]
      change(&$0)
    }
  }

  func accessToken(_ scene: ServerScene) async throws -> String {
    let reply = await scene.send(Self.grant(try assertion()))
    return try #require(reply["access_token"])
  }

  static func grant(_ assertion: String, at path: String = "/token") -> ServerRequest {
    let form = FormEncoding.encode([
      ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion),
    ])
    return ServerRequest(
      "POST", path, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(form.utf8))
  }
}
