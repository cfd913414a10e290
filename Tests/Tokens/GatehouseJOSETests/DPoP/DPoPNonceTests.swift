import Foundation
import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Nonces that the server creates (RFC 9449 §8 and §9).
struct `Nonces for proofs` {
  private typealias Scene = ProofScene

  private static let key = TokenScene.made { try SecretKey(Array(repeating: 7, count: 32)) }
  private static let nonces = TokenScene.made { try DPoPNonces(key: key, interval: .seconds(100)) }
  /// The start of an interval.
  private static let start: Double = 1_700_000_000

  private static func moment(_ seconds: Double) -> Date { Date(wall: start + seconds) }

  @Test func `are accepted in their own interval and in the next one, and in no other`() throws {
    let nonce = try Self.nonces.nonce(at: Self.moment(0))
    #expect(try Self.nonces.nonce(at: Self.moment(99.9)) == nonce)
    #expect(try Self.nonces.nonce(at: Self.moment(100)) != nonce)
    #expect(try Self.nonces.nonce(at: Self.moment(-0.1)) != nonce)
    for (seconds, isAccepted) in [
      (-0.1, false), (0, true), (99.9, true), (100, true), (199.9, true), (200, false), (.infinity, false),
    ] {
      #expect(try Self.nonces.accepts(nonce, at: Self.moment(seconds)) == isAccepted, "after \(seconds) seconds")
    }
    let late = try Self.nonces.nonce(at: Self.moment(99.9))
    #expect(try Self.nonces.accepts(late, at: Self.moment(199.9)))
  }

  @Test func `are those of every server with the same key and interval, and of no other`() throws {
    let nonce = try Self.nonces.nonce(at: Self.moment(0))
    let twin = try DPoPNonces(key: SecretKey(Array(repeating: 7, count: 32)), interval: .seconds(100))
    #expect(try twin.accepts(nonce, at: Self.moment(50)))
    let others = [
      try DPoPNonces(key: SecretKey(Array(repeating: 8, count: 32)), interval: .seconds(100)),
      try DPoPNonces(key: Self.key, interval: .seconds(50)), try .generate(interval: .seconds(100)),
    ]
    for other in others { #expect(try !other.accepts(nonce, at: Self.moment(0))) }
    for wrong in ["", "n-1", nonce + "A", String(nonce.dropLast()), nonce.lowercased()] {
      #expect(try !Self.nonces.accepts(wrong, at: Self.moment(0)))
    }
  }

  @Test func `are text that a header field can carry`() throws {
    for interval in 0..<50 {
      let nonce = try Self.nonces.nonce(at: Self.moment(Double(interval) * 100))
      #expect(
        nonce.utf8.count == 43
          && nonce.utf8.allSatisfy {
            Character(Unicode.Scalar($0)).isLetter
              || Character(Unicode.Scalar($0)).isNumber || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          })
    }
  }

  @Test func `need a key of 32 bytes, and an interval from a second to a day`() throws {
    for seconds in [1, 120, 86_400] { _ = try DPoPNonces(key: Self.key, interval: .seconds(seconds)) }
    for interval in [.zero, .milliseconds(999), .seconds(-1), .seconds(86_401), .seconds(1e20)] as [Duration] {
      #expect(
        TestSupport.refusal { try DPoPNonces(key: Self.key, interval: interval) }
          == .invalidArgument)
    }
    let short = try SecretKey(Array(repeating: 7, count: 31))
    #expect(TestSupport.refusal { try DPoPNonces(key: short) } == .keyInvalid)
  }

  private func refusal(_ nonce: JSONValue?, _ verifier: DPoPVerifier, _ id: String) async throws -> AuthError.Code? {
    await Scene.refusal(of: try Scene.proof(["nonce": nonce, "jti": .string(id)]), by: verifier)
  }

  @Test func `are asked for by a verifier that has them`() async throws {
    var verifier = DPoPVerifier(replays: MemoryReplayStore())
    #expect(!verifier.requiresNonce)
    #expect(try verifier.nonce() == nil)
    verifier.nonces = Self.nonces
    #expect(verifier.requiresNonce)
    verifier.clocks = FixedClocks()
    let current = try #require(try verifier.nonce())
    #expect(current == (try Self.nonces.nonce(at: Date(wall: Scene.now))))
    let previous = try Self.nonces.nonce(at: Date(wall: Scene.now - 100))
    let older = try Self.nonces.nonce(at: Date(wall: Scene.now - 200))
    let next = try Self.nonces.nonce(at: Date(wall: Scene.now + 100))
    for value in [nil, .string(older), .string(next), "", "n-1", 1, .null, [.string(current)]] as [JSONValue?] {
      #expect(try await refusal(value, verifier, "1") == .proofNonceRequired)
    }
    // A rejected proof was not used: a client repeats its request with the nonce.
    #expect(try await refusal(.string(current), verifier, "1") == nil)
    #expect(try await refusal(.string(current), verifier, "1") == .tokenReplayed)
    #expect(try await refusal(.string(previous), verifier, "2") == nil)
    // A request with its own nonce requires that one.
    var request = Scene.request
    request.nonce = "n-1"
    #expect(try await Scene.refusal(of: Scene.proof(), for: request, by: verifier) == nil)
    let other = try Scene.proof(["nonce": .string(current), "jti": "3"])
    #expect(await Scene.refusal(of: other, for: request, by: verifier) == .proofMismatch)
  }
}
