extension Stranger {
  /// The protocols of the Tokens wing.
  static let tokens = [signer, tokenClaims, replayStore, transport, verifiers]

  private static let signer = Stranger(
    name: "StrangersSigner", products: ["GatehouseJOSE"],
    text: """
      import GatehouseJOSE

      /// Stands for a hardware module.
      struct Module: Signer {
        var algorithm: JWSAlgorithm { .ES256 }
        var keyID: String? { "slot-1" }
        func signature(of message: [UInt8]) async throws(AuthError) -> [UInt8] { [UInt8](repeating: 7, count: 64) }
      }

      @main
      struct Program {
        static func main() async throws {
          let token = try UnverifiedToken(try await Module().token(["sub": "ada"]))
          print("token:", token.subject ?? "", token.header.keyID ?? "")
        }
      }
      """,
    output: "token: ada slot-1\n")

  private static let tokenClaims = Stranger(
    name: "StrangersTokenClaims", products: ["GatehouseJOSE"],
    text: """
      import GatehouseJOSE

      /// The answer of an introspection endpoint (RFC 7662).
      struct Introspection: TokenClaims {
        let claims: JSONObject
      }

      @main
      struct Program {
        static func main() throws {
          let answer = Introspection(claims: ["active": true, "sub": "ada", "aud": ["shop"], "exp": 1_800_000_000])
          print("claims:", answer.subject ?? "", answer.audience, answer.expiry != nil, answer["active"]?.bool ?? false)
        }
      }
      """,
    output: "claims: ada [\"shop\"] true true\n")

  private static let replayStore = Stranger(
    name: "StrangersReplayStore", products: ["GatehouseJOSE"],
    text: """
      import Foundation
      import GatehouseJOSE

      actor Shared: ReplayStore {
        private var used: Set<[UInt8]> = []
        func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) async throws(AuthError) -> Bool {
          used.insert(name).inserted
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let key = try PrivateKey.generate(.p256)
          let now = Int(Date().timeIntervalSince1970)
          let token = try TokenSigner(key: key, keyID: "k").sign([
            "iss": "https://issuer.example", "aud": "shop", "sub": "ada", "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 600)),
          ])
          let keys = try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k", algorithm: .ES256)])
          let policy = VerificationPolicy(algorithms: [.ES256], issuer: "https://issuer.example", audience: "shop")
          let verifier = SingleUseTokenVerifier(verifier: TokenVerifier(keys: keys, policy: policy), replays: Shared())
          print("first:", try await verifier.verify(token).subject ?? "")
          do {
            _ = try await verifier.verify(token)
          } catch let error as AuthError {
            print("second:", error.code == .tokenReplayed)
          }
        }
      }
      """,
    output: "first: ada\nsecond: true\n")

  private static let verifiers = Stranger(
    name: "StrangersVerifiers", products: ["GatehouseJOSE"],
    text: """
      import Foundation
      import GatehouseJOSE

      /// Accepts the tokens of some users only: a rule that never changes, so that its tokens may be cached.
      struct Members: PureTokenVerifying {
        let inner: TokenVerifier
        let members: Set<String>

        var policy: VerificationPolicy { inner.policy }
        var identity: [UInt8] {
          get throws { try inner.identity + Array(members.sorted().joined(separator: " ").utf8) }
        }
        func verify(_ token: String) throws -> VerifiedToken { try allowed(inner.verify(token)) }
        func verify(_ token: String, at moment: Date) throws -> VerifiedToken {
          try allowed(inner.verify(token, at: moment))
        }
        private func allowed(_ token: VerifiedToken) throws -> VerifiedToken {
          guard let subject = token.subject, members.contains(subject) else {
            throw AuthError(.operationNotAllowed, "not a member")
          }
          return token
        }
      }

      /// Counts what it is asked: not pure.
      actor Counter: TokenVerifying {
        nonisolated let policy: VerificationPolicy
        private let inner: any TokenVerifying
        private(set) var count = 0

        init(_ inner: any TokenVerifying) {
          self.inner = inner
          policy = inner.policy
        }
        func verify(_ token: String) async throws -> VerifiedToken {
          count += 1
          return try await inner.verify(token)
        }
        func verify(_ token: String, at moment: Date) async throws -> VerifiedToken {
          count += 1
          return try await inner.verify(token, at: moment)
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let key = try PrivateKey.generate(.p256)
          let keys = try JWKSet([JWK(.publicKey(key.publicKey))])
          let plain = TokenVerifier(keys: keys, policy: VerificationPolicy(algorithms: [.ES256]))
          let cached = try CachedTokenVerifier(Members(inner: plain, members: ["ada"]), cache: TokenCache())
          let counter = Counter(cached)
          let once = SingleUseTokenVerifier(verifier: counter, replays: MemoryReplayStore())
          let signer = try TokenSigner(key: key)
          let ada = try signer.sign(["sub": "ada", "exp": 9_000_000_000])
          print("ada:", try await once.verify(ada).subject ?? "")
          let bob = try signer.sign(["sub": "bob", "exp": 9_000_000_000])
          do { _ = try await once.verify(bob) } catch let error as AuthError {
            print("bob:", error.code == .operationNotAllowed)
          }
          print("asked:", await counter.count)
        }
      }
      """,
    output: "ada: ada\nbob: true\nasked: 2\n")

  private static let transport = Stranger(
    name: "StrangersTransport", products: ["GatehouseHTTP", "GatehouseJOSE"],
    text: """
      import GatehouseHTTP
      import GatehouseJOSE

      /// Answers from memory.
      struct Canned: HTTPTransport {
        let body: [UInt8]
        func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
          guard request.url == "https://keys.example/jwks" else { throw AuthError(.networkError, "no such server") }
          return TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: body, url: request.url)
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let key = try PrivateKey.generate(.p256)
          let published = try JWKSet([JWK(.publicKey(key.publicKey), keyID: "k", algorithm: .ES256)])
          let transport = Canned(body: published.serialized())
          let keys = try RemoteKeySet(url: "https://keys.example/jwks", transport: transport)
          print("keys:", try await keys.keys().keys.map { $0.keyID ?? "" })
        }
      }
      """,
    output: "keys: [\"k\"]\n")
}
