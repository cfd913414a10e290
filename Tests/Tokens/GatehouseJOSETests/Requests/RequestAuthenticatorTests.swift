import Foundation
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import TestSupport
import Testing

/// From a request's header fields to its user, or to the response that rejects it.
struct RequestAuthenticatorTests {
  private static let site = "https://server.example.com"

  /// Accepts tokens of the project `demo`, at the tests' moment.
  private static func authenticator(
    proofs: Bool = false, nonces: DPoPNonces? = nil, cookies: Bool = false
  ) -> RequestAuthenticator {
    var authenticator = RequestAuthenticator(verifier(.firebaseIDToken(project: "demo")))
    if proofs {
      var verifier = DPoPVerifier(algorithms: [.ES256], replays: MemoryReplayStore())
      verifier.clocks = FixedClocks()
      verifier.nonces = nonces
      authenticator.proofs = .init(verifier, publicURL: site)
    }
    if cookies { authenticator.cookies = .init("session", verifier(.firebaseSessionCookie(project: "demo"))) }
    return authenticator
  }

  private static func verifier(_ policy: VerificationPolicy) -> TokenVerifier {
    var policy = policy
    policy.clocks = FixedClocks()
    return TokenVerifier(keys: TokenScene.keys, policy: policy)
  }

  private static func user(_ authentication: Authentication) -> AuthenticatedUser? {
    if case .user(let user) = authentication { user } else { nil }
  }

  private static func refusal(_ authentication: Authentication) -> AuthenticationRefusal? {
    if case .refused(let refusal) = authentication { refusal } else { nil }
  }

  private static func bound(to key: PrivateKey = TokenScene.p256) throws -> String {
    var claims = TokenScene.claims
    claims["cnf"] = ["jkt": .string(try JWK(.publicKey(key.publicKey)).thumbprint())]
    return try TokenScene.signed(claims)
  }

  /// A proof for `POST /token` with an access token.
  private static func proof(
    of token: String, nonce: String? = nil, id: String = "p", target: String = site + "/token"
  ) throws -> String {
    let digest = try HashAlgorithm.sha256.hash(Array(token.utf8))
    return try ProofScene.proof([
      "jti": .string(id), "ath": .string(Base64URL.encode(digest)), "nonce": nonce.map(JSONValue.string),
      "htu": .string(target),
    ])
  }

  private static func cookie() throws -> String {
    try TokenScene.signed(TokenScene.claims("iss", "https://session.firebase.google.com/demo"))
  }

  @Test(arguments: ["Bearer", "bearer", "BEARER"])
  func `a bearer token names its user`(scheme: String) async throws {
    var claims = TokenScene.claims
    claims["email"] = "ada@example.com"
    claims["email_verified"] = true
    let token = try TokenScene.signed(claims)
    let authentication = try await Self.authenticator().authenticate(
      "GET", "/me?x=y", headers: ["Authorization": "\(scheme) \(token)"])
    let user = try #require(Self.user(authentication))
    #expect(user.uid == "user-1" && user.email == "ada@example.com" && user.isEmailVerified)
    #expect(user.credential == .bearerToken && user.claims["aud"] == "demo" && user.responseHeaders.fields.isEmpty)
    #expect(!"\(user) \(String(reflecting: user))".contains(token))
  }

  @Test(arguments: [[:], ["Authorization": "Basic YTpi"], ["Cookie": "session=x"], ["Authorization": "DPoP a.b.c"]])
  func `a request without a credential is told which there are, and of no error`(
    headers: TransportHeaders
  ) async throws {
    var authenticator = Self.authenticator()
    authenticator.realm = #"the "house""#
    let refusal = try #require(Self.refusal(try await authenticator.authenticate("GET", "/me", headers: headers)))
    #expect(refusal.status == 401 && refusal.reason == .missing)
    #expect(refusal.headers.values(of: "WWW-Authenticate") == [#"Bearer realm="the \"house\"""#])
  }

  @Test(arguments: ["Bearer", "Bearer ", "Bearer a b", "Bearer é", "Bearer =", "Bea\u{1}rer a", "", "Bearer a,b"])
  func `a malformed credential is a bad request`(value: String) async throws {
    let authentication = try await Self.authenticator().authenticate("GET", "/me", headers: ["Authorization": value])
    let refusal = try #require(Self.refusal(authentication))
    #expect(refusal.status == 400 && refusal.reason == .malformed)
    #expect(refusal.headers["WWW-Authenticate"]?.hasPrefix(#"Bearer error="invalid_request""#) == true)
  }

  @Test func `two credentials are a bad request`() async throws {
    let token = try TokenScene.signed()
    let authentication = try await Self.authenticator().authenticate(
      "GET", "/me", headers: ["Authorization": "Bearer \(token)", "authorization": "Bearer \(token)"])
    #expect(Self.refusal(authentication)?.status == 400)
  }

  @Test func `a token that is refused is an invalid token, and its text is nowhere`() async throws {
    let subjects: [JSONValue?] = ["", nil]
    let tokens =
      try [
        TokenScene.signed(TokenScene.claims("exp", 1_600_000_000)), TokenScene.signed(TokenScene.claims("aud", "x")),
        TokenSigner(key: TokenScene.stranger, keyID: "rsa").sign(TokenScene.claims), "secret.secret.secret",
      ] + subjects.map { try TokenScene.signed(TokenScene.claims("sub", $0)) }
    for token in tokens {
      let authentication = try await Self.authenticator().authenticate(
        "GET", "/me", headers: ["Authorization": "Bearer \(token)"])
      let refusal = try #require(Self.refusal(authentication))
      #expect(refusal.status == 401 && refusal.reason == .invalidToken && refusal.cause != nil)
      #expect(
        refusal.headers.values(of: "WWW-Authenticate") == [
          #"Bearer error="invalid_token", error_description="The credential is invalid, expired or revoked""#
        ])
      let told = "\(refusal) \(String(reflecting: refusal)) \(refusal.cause.map { "\($0)" } ?? "")"
      let body = String(decoding: refusal.body, as: UTF8.self)
      #expect(!(told + body + "\(refusal.headers.fields.map(\.value))").contains(token))
      #expect(body.contains(#""error":"invalid_token""#))
    }
  }

  @Test func `a bound token needs its proof`() async throws {
    let token = try Self.bound()
    let authenticator = Self.authenticator(proofs: true)
    let asBearer = try await authenticator.authenticate("POST", "/token", headers: ["Authorization": "Bearer \(token)"])
    let refusal = try #require(Self.refusal(asBearer))
    #expect(refusal.reason == .invalidToken && refusal.cause?.code == .proofRequired)
    #expect(refusal.headers.values(of: "WWW-Authenticate").last == #"DPoP algs="ES256""#)

    let headers: TransportHeaders = ["Authorization": "DPoP \(token)", "DPoP": try Self.proof(of: token)]
    let user = Self.user(try await authenticator.authenticate("POST", "/token?x", headers: headers))
    #expect(user?.credential == .boundToken && user?.uid == "user-1")
    let again = Self.refusal(try await authenticator.authenticate("POST", "/token?x", headers: headers))
    #expect(again?.reason == .invalidProof && again?.cause?.code == .tokenReplayed)
  }

  @Test func `a proof for something else, of another key, or none, is an invalid proof`() async throws {
    let token = try Self.bound(), stranger = try Self.bound(to: TokenScene.ed25519)
    let proof = try Self.proof(of: token)
    let cases: [(String, String, TransportHeaders)] = [
      ("GET", "/token", ["Authorization": "DPoP \(token)", "DPoP": proof]),
      ("POST", "/other", ["Authorization": "DPoP \(token)", "DPoP": proof]),
      ("POST", "/token", ["Authorization": "DPoP \(stranger)", "DPoP": try Self.proof(of: stranger)]),
      ("POST", "/token", ["Authorization": "DPoP \(token)"]),
      ("POST", "/token", ["Authorization": "DPoP \(token)", "DPoP": proof, "dpop": proof]),
    ]
    for (method, path, headers) in cases {
      let authentication = try await Self.authenticator(proofs: true).authenticate(method, path, headers: headers)
      let refusal = try #require(Self.refusal(authentication))
      #expect(refusal.status == 401 && refusal.reason == .invalidProof, "\(method) \(path)")
      let challenges = refusal.headers.values(of: "WWW-Authenticate")
      #expect(challenges.first == "Bearer")
      #expect(challenges.last?.hasPrefix(#"DPoP error="invalid_dpop_proof", error_description="#) == true)
    }
  }

  /// In HTTP/2 the client sends the path apart from the host. A proof for another server must not fit the two in a row.
  @Test(arguments: [
    ".evil.com/x", ":8443/x", "a/x", "x", "", "?/x", "#/x", "*", "@evil.com/x", "https://server.example.com/x",
  ])
  func `a path that begins with no slash is refused before the proof is read`(path: String) async throws {
    let token = try Self.bound(), store = MemoryReplayStore()
    var authenticator = Self.authenticator(proofs: true)
    var verifier = DPoPVerifier(algorithms: [.ES256], replays: store)
    verifier.clocks = FixedClocks()
    authenticator.proofs = .init(verifier, publicURL: Self.site)
    for proof in [try Self.proof(of: token, target: Self.site + path), "no proof"] {
      let authentication = try await authenticator.authenticate(
        "POST", path, headers: ["Authorization": "DPoP \(token)", "DPoP": proof])
      let refusal = try #require(Self.refusal(authentication))
      #expect(refusal.status == 400 && refusal.reason == .malformed)
      #expect(refusal.cause?.message.contains("path") == true)
    }
    #expect(store.count == 0)
  }

  /// Such a URL would make every path part of its query, so that one proof would fit them all.
  @Test(arguments: ["?", "?a=b", "#", "/api?"])
  func `a server's URL that ends in a query or a fragment fits no request, which is the server's fault`(
    ending: String
  ) async throws {
    let token = try Self.bound()
    var authenticator = Self.authenticator(proofs: true)
    authenticator.proofs?.publicURL = Self.site + ending
    let proof = try Self.proof(of: token, target: Self.site + (ending.hasPrefix("/api") ? "/api" : ""))
    let error = await #expect(throws: AuthError.self) {
      try await authenticator.authenticate(
        "POST", "/token", headers: ["Authorization": "DPoP \(token)", "DPoP": proof])
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `a token that is not bound is no token for a proof, and may be refused alone`() async throws {
    let token = try TokenScene.signed()
    var authenticator = Self.authenticator(proofs: true)
    let asBound = try await authenticator.authenticate(
      "POST", "/token", headers: ["Authorization": "DPoP \(token)", "DPoP": try Self.proof(of: token)])
    #expect(Self.refusal(asBound)?.reason == .invalidToken)
    let bearer: TransportHeaders = ["Authorization": "Bearer \(token)"]
    #expect(Self.user(try await authenticator.authenticate("POST", "/token", headers: bearer)) != nil)
    authenticator.proofs?.areRequired = true
    let refusal = Self.refusal(try await authenticator.authenticate("POST", "/token", headers: bearer))
    #expect(refusal?.reason == .invalidToken && refusal?.cause?.code == .proofRequired)
  }

  @Test func `a nonce is asked for, taken, and sent with every answer`() async throws {
    let token = try Self.bound()
    let authenticator = Self.authenticator(proofs: true, nonces: try .generate())
    let first = try await authenticator.authenticate(
      "POST", "/token", headers: ["Authorization": "DPoP \(token)", "DPoP": try Self.proof(of: token)])
    let refusal = try #require(Self.refusal(first))
    #expect(refusal.reason == .nonceRequired)
    #expect(refusal.headers.values(of: "WWW-Authenticate").last?.contains(#"error="use_dpop_nonce""#) == true)
    let nonce = try #require(refusal.headers["DPoP-Nonce"])
    let second = try await authenticator.authenticate(
      "POST", "/token",
      headers: ["Authorization": "DPoP \(token)", "DPoP": try Self.proof(of: token, nonce: nonce, id: "q")])
    #expect(Self.user(second)?.responseHeaders["DPoP-Nonce"] == nonce)
    #expect(
      Self.refusal(try await authenticator.authenticate("GET", "/", headers: [:]))?.headers["DPoP-Nonce"] == nonce)
  }

  @Test func `a session cookie names its user, and no ID token is one`() async throws {
    let authenticator = Self.authenticator(cookies: true), cookie = try Self.cookie()
    let good = try await authenticator.authenticate(
      "GET", "/me", headers: ["Cookie": "a=b; session=\(cookie); c=d=e"])
    #expect(Self.user(good)?.credential == .sessionCookie)
    let idToken = try TokenScene.signed()
    let wrong = Self.refusal(
      try await authenticator.authenticate("GET", "/me", headers: ["Cookie": "session=\(idToken)"]))
    #expect(wrong?.reason == .invalidToken && wrong?.headers["WWW-Authenticate"] == "Bearer")
    let cookieAsToken = try await authenticator.authenticate(
      "GET", "/me", headers: ["Authorization": "Bearer \(cookie)"])
    #expect(Self.refusal(cookieAsToken)?.reason == .invalidToken)
    let two = try await authenticator.authenticate(
      "GET", "/me", headers: ["Cookie": "session=\(cookie); session=x"])
    #expect(Self.refusal(two)?.reason == .malformed)
    let other = try await authenticator.authenticate("GET", "/me", headers: ["Cookie": "Session=\(cookie)"])
    #expect(Self.refusal(other)?.reason == .missing)
  }

  @Test(
    arguments: [
      ("GET", ["Sec-Fetch-Site": "cross-site"], true), ("POST", ["Sec-Fetch-Site": "cross-site"], false),
      ("POST", ["Sec-Fetch-Site": "same-site"], false), ("POST", ["Sec-Fetch-Site": "same-origin"], true),
      ("POST", ["Sec-Fetch-Site": "none"], true), ("POST", [:], true),
      ("POST", ["Origin": "https://server.example.com", "Host": "server.example.com"], true),
      ("POST", ["Origin": "https://server.example.com:443", "Host": "Server.example.com"], true),
      ("POST", ["Origin": "http://server.example.com", "Host": "server.example.com"], false),
      ("POST", ["Origin": "http://server.example.com:443", "Host": "server.example.com:443"], false),
      ("POST", ["Origin": "https://server.example.com:8443", "Host": "server.example.com"], false),
      ("POST", ["Origin": "http://localhost:8080", "Host": "localhost:8080"], true),
      ("POST", ["Origin": "https://localhost:8080", "Host": "localhost:8080"], true),
      ("POST", ["Origin": "http://127.0.0.1:8080", "Host": "localhost:8080"], false),
      ("POST", ["Origin": "server.example.com", "Host": "server.example.com"], false),
      ("POST", ["Origin": "https://evil.example", "Host": "server.example.com"], false),
      ("DELETE", ["Origin": "null", "Host": "server.example.com"], false),
      ("POST", ["Origin": "https://server.example.com"], false),
      // Another reader could use the other one of two fields.
      ("POST", ["Sec-Fetch-Site": "same-origin", "sec-fetch-site": "cross-site"], false),
      (
        "POST",
        ["Origin": "https://server.example.com", "origin": "https://evil.example", "Host": "server.example.com"], false
      ),
      (
        "POST",
        ["Origin": "https://server.example.com", "Host": "server.example.com", "host": "evil.example"], false
      ),
      ("POST", ["Origin": "https://server.example.com", "Host": "server.example.com/x"], false),
    ] as [(String, TransportHeaders, Bool)])
  func `a page of another origin changes nothing with a cookie`(
    method: String, headers: TransportHeaders, isTaken: Bool
  ) async throws {
    var headers = headers
    headers.add("Cookie", "session=\(try Self.cookie())")
    let authentication = try await Self.authenticator(cookies: true).authenticate(method, "/me", headers: headers)
    #expect((Self.user(authentication) != nil) == isTaken)
    if !isTaken {
      let refusal = Self.refusal(authentication)
      #expect(refusal?.status == 403 && refusal?.headers["WWW-Authenticate"] == nil)
    }
  }

  @Test func `what is not the client's fault is an error`() async throws {
    struct Broken: TokenVerifying {
      let policy = VerificationPolicy(algorithms: [.ES256])
      func verify(_ token: String) async throws(AuthError) -> VerifiedToken {
        throw AuthError(.keysUnavailable, "down")
      }
      func verify(_ token: String, at moment: Date) async throws(AuthError) -> VerifiedToken { try await verify(token) }
    }
    let error = await #expect(throws: AuthError.self) {
      try await RequestAuthenticator(Broken()).authenticate("GET", "/", headers: ["Authorization": "Bearer a.b.c"])
    }
    #expect(error?.code == .keysUnavailable)
  }
}
