import Foundation
import GatehouseBase
import GatehouseHummingbird
import GatehouseJOSE
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

struct UserMiddlewareTests {
  private static let key = Result { try PrivateKey.generate(.p256) }

  private static func token(_ claims: JSONObject = [:]) throws -> String {
    let now = JSONValue.number(JSONNumber(Int(Date().timeIntervalSince1970)))
    var all: JSONObject = [
      "iss": "https://securetoken.google.com/demo", "aud": "demo", "sub": "ada", "iat": now, "auth_time": now,
      "exp": 4_000_000_000,
    ]
    for (name, value) in claims.members.map({ ($0.name, $0.value) }) { all[name] = value }
    return try TokenSigner(key: key.get(), keyID: "k").sign(all)
  }

  /// The answer of a program with one route, `GET /me`.
  private func answer(
    _ headers: HTTPFields, tokens: (any TokenVerifying)? = nil, isOptional: Bool = false, logger: Logger? = nil
  ) async throws -> (status: Int, headers: HTTPFields, body: String) {
    let keys = try JWKSet([JWK(.publicKey(Self.key.get().publicKey), keyID: "k")])
    let verifier = TokenVerifier(keys: keys, policy: .firebaseIDToken(project: "demo", algorithms: [.ES256]))
    let router = Router(context: BasicUserRequestContext.self)
    router.addMiddleware { UserMiddleware(RequestAuthenticator(tokens ?? verifier), isOptional: isOptional) }
    router.get("me") { _, context in context.user?.uid ?? "a guest" }
    let source = ApplicationRequestContextSource(
      channel: EmbeddedChannel(), logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let request = Request(
      head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/me", headerFields: headers),
      body: RequestBody(buffer: ByteBuffer()))
    let response = try await router.buildResponder().respond(
      to: request, context: BasicUserRequestContext(source: source))
    let (parts, part) = AsyncStream<ByteBuffer>.makeStream()
    try await response.body.write(Parts(part: part))
    part.finish()
    let body = await parts.reduce(into: "") { $0 += String(buffer: $1) }
    return (response.status.code, response.headers, body)
  }

  @Test func `a route has the user of a good token`() async throws {
    let answer = try await answer([.authorization: "Bearer \(Self.token())"])
    #expect(answer.status == 200 && answer.body == "ada")
  }

  @Test func `a request without a user does not come to the route, unless guests may`() async throws {
    let refused = try await answer([:])
    #expect(refused.status == 401 && refused.headers[.wwwAuthenticate] == "Bearer")
    #expect(refused.headers[.contentType] == "application/json; charset=utf-8")
    #expect(refused.body.contains(#""error":"unauthorized""#))
    let guest = try await answer([:], isOptional: true)
    #expect(guest.status == 200 && guest.body == "a guest")
  }

  @Test func `a bad credential is refused, where guests may come too`() async throws {
    for isOptional in [false, true] {
      let answer = try await answer([.authorization: "Bearer \(Self.token(["aud": "x"]))"], isOptional: isOptional)
      #expect(answer.status == 401)
      #expect(answer.headers[.wwwAuthenticate]?.contains(#"error="invalid_token""#) == true)
    }
  }

  @Test func `keys that cannot be had are the server's fault`() async throws {
    struct Broken: TokenVerifying {
      let policy = VerificationPolicy(algorithms: [.ES256])
      func verify(_ token: String) async throws(AuthError) -> VerifiedToken {
        throw AuthError(.keysUnavailable, "down")
      }
      func verify(_ token: String, at moment: Date) async throws(AuthError) -> VerifiedToken { try await verify(token) }
    }
    let answer = try await answer([.authorization: "Bearer a.b.c"], tokens: Broken())
    #expect(answer.status == 503)
  }
}

/// Keeps what a body writes.
private struct Parts: ResponseBodyWriter {
  let part: AsyncStream<ByteBuffer>.Continuation

  mutating func write(_ buffer: ByteBuffer) async throws { part.yield(buffer) }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
