import Foundation
import GatehouseBase
import GatehouseJOSE

/// Proofs of possession (DPoP), under a good signature: the input is the header's bytes, a zero, and the claims' bytes.
/// Without a zero it is the proof's own text.
enum ProofTarget: Target {
  static let name = "proof"
  static let longest = 9 << 10

  private static let now = SignedTokens.now
  private static let signer = Keys.signer(Keys.ed25519, .EdDSA)
  private static let thumbprint = sure { try Keys.ed25519.thumbprint() }
  private static let verifier = DPoPVerifier(replays: EverythingIsNew())
  private static let request = DPoPRequest(
    method: "POST", uri: "https://api.example/path?query", accessToken: "token", boundThumbprint: thumbprint, nonce: "n"
  )
  /// That of the access token.
  private static let hash = sure {
    Base64URL.encode(try HashAlgorithm.sha256.hash(Array("token".utf8)))
  }

  static func check(_ input: [UInt8]) {
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    var proof = String(decoding: input, as: UTF8.self)
    if parts.count == 2 {
      proof = Base64URL.encode(parts[0]) + "." + Base64URL.encode(parts[1])
      let text = Array(proof.utf8)
      proof += "." + Base64URL.encode(sure { try signer.signature(of: text) })
    }
    guard let verified = attempt({ try verify(proof) }) else { return }

    require(parts.count == 2, "what is accepted was signed")
    let header = try? JSONObject(parsing: parts[0])
    require(header?["typ"]?.string?.lowercased().hasSuffix("dpop+jwt") == true, "the proof says that it is one")
    require(header?["alg"] == "EdDSA" || header?["alg"] == "Ed25519", "the algorithm is one of those accepted")
    for name in ["d", "k"] { require(header?["jwk"]?[name] == nil, "the proof carries no private key") }
    for name in ["crit", "b64", "zip"] { require(header?[name] == nil, "the header asks for nothing unknown") }
    require(verified.thumbprint.isExactly(thumbprint), "it is the signer's key")
    require((try? JSONObject(parsing: parts[1])) == verified.claims, "the claims say what they said")
    let wanted: [(String, JSONValue)] = [("htm", "POST"), ("nonce", "n"), ("ath", .string(hash))]
    for (name, value) in wanted { require(verified.claims[name] == value, "\(name) is that of the request") }
    require((1...256).contains(verified.tokenID.utf8.count), "the proof has a name")
    require(verified.issuedAt.wall <= now + 5 && now < verified.issuedAt.wall + 60, "the proof is fresh")
  }

  /// Runs an asynchronous call here and now: its jobs run where they are handed over.
  private static func verify(_ proof: String) throws -> DPoPProof {
    let answer = Answer()
    Task(executorPreference: InPlace.executor) {
      do {
        answer.result = .success(try await verifier.verify(proof, for: request, at: now))
      } catch { answer.result = .failure(error) }
    }
    guard let result = answer.result else { fatalError("a property does not hold: the call waits for nothing") }
    return try result.get()
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let key = Keys.ed25519.json["x"]?.string ?? ""
    let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(key)"}"#
    let headers = [
      #"{"typ":"dpop+jwt","alg":"EdDSA","jwk":\#(jwk)}"#, #"{"typ":"dpop+jwt","alg":"Ed25519","jwk":\#(jwk)}"#,
      #"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(Keys.ec.json)}"#,
    ]
    let claims = [
      ##"{"jti":"1","htm":"POST","htu":"https://api.example/path","iat":1800000000,"nonce":"n","ath":"\##(hash)"}"##,
      ##"{"jti":"2","htm":"POST","htu":"HTTPS://API.example:443/p%61th#f","iat":1799999970.5,"nonce":"n","ath":"\##(hash)"}"##,
    ]
    let proofs = headers.flatMap { header in claims.map { [UInt8]("\(header)\0\($0)".utf8) } }
    return proofs + harvest.tokens.prefix(20).map { Array($0.utf8) }
  }
}

/// What an asynchronous call answers; touched by one thread, this one.
private final class Answer: @unchecked Sendable {
  var result: Result<DPoPProof, any Error>?
}

/// Runs jobs on the thread that hands them over.
private final class InPlace: TaskExecutor {
  static let executor = InPlace()

  func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Remembers nothing: an input must do the same each time.
private struct EverythingIsNew: ReplayStore {
  func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) async -> Bool { true }
}
