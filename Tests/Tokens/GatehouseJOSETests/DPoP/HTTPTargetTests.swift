import GatehouseJOSE
import TestSupport
import Testing

/// Which URIs are considered the same (RFC 9449 §4.3 rule 9; RFC 3986 §6.2.2 and §6.2.3).
struct `A proof's URI` {
  private func refusal(_ target: String, asked: String) async throws -> AuthError.Code? {
    let request = DPoPRequest(method: "POST", uri: asked)
    return await ProofScene.refusal(of: try ProofScene.proof(["htu": .string(target)]), for: request)
  }

  @Test(arguments: [
    ("https://example.com/a", "HTTPS://EXAMPLE.com/a"), ("https://example.com/a", "https://example.com:443/a"),
    ("https://example.com/a", "https://example.com:/a"), ("http://example.com/a", "http://example.com:80/a"),
    ("https://example.com", "https://example.com/"), ("https://example.com/a", "https://example.com/a?b=c"),
    ("https://example.com/a?x", "https://example.com/a#y"), ("https://example.com?x", "https://example.com/"),
    ("https://example.com/%7euser", "https://example.com/~user"), ("https://example.com/%61", "https://example.com/a"),
    ("https://example.com/%c3%a9", "https://example.com/%C3%A9"),
    ("https://example.com/a/../b", "https://example.com/b"),
    ("https://example.com/./a/.", "https://example.com/a/"), ("https://example.com/../..", "https://example.com/"),
    ("https://example.com/a/%2E%2e/b", "https://example.com/b"),
    ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/"),
    ("https://example.com:8443/a", "https://EXAMPLE.com:8443/a"),
    ("https://example.com/a//b/..", "https://example.com/a//"),
  ])
  func `is that of the request, however the two are written`(target: String, asked: String) async throws {
    #expect(try await refusal(target, asked: asked) == nil)
    #expect(try await refusal(asked, asked: target) == nil)
  }

  @Test(arguments: [
    ("https://example.com/a", "https://example.com/A"), ("https://example.com/a", "https://example.com/a/"),
    ("https://example.com/a", "http://example.com/a"), ("https://example.com/a", "https://example.com:80/a"),
    ("https://example.com/a", "https://example.com:8443/a"), ("https://example.com/a", "https://example.org/a"),
    ("https://example.com/a", "https://example.com.evil.org/a"), ("https://example.com/a", "https://example.com/ab"),
    ("https://example.com/a%2Fb", "https://example.com/a/b"), ("https://example.com/a", "https://example.com//a"),
    ("https://[2001:db8::443]/", "https://[2001:db8:]/"), ("https://example.com/%C3%A9", "https://example.com/e%CC%81"),
  ])
  func `is another one in all else`(target: String, asked: String) async throws {
    #expect(try await refusal(target, asked: asked) == .proofMismatch)
    #expect(try await refusal(asked, asked: target) == .proofMismatch)
  }

  private static let withoutHost = [
    "", "/a", "a", "?a", "//example.com/a", "example.com/a", "example.com:443", "ftp://example.com/a",
    "https:/example.com", "https:example.com", "https://", "https:///a", "https://:443/a", "https://user@example.com/a",
    "https://example.com:443:443/a", "https://example.com:x/", "https://example.com\\a", "https://ex\u{E9}mple.com/",
  ]
  private static let odd = [
    "https://example.com/%", "https://example.com/%4", "https://example.com/%zz", "https://example.com/a b",
    "https://example.com/\u{E9}", "https://example.com/\n", "https://example.com/<a>",
  ]

  @Test(arguments: withoutHost + odd)
  func `is refused if it is none, and then it is the client's fault`(text: String) async throws {
    #expect(try await refusal(text, asked: "https://example.com/a") == .proofMismatch)
  }

  /// The client controls the path, and may send any bytes in it.
  @Test(arguments: odd)
  func `is refused if it is none, even where the request is written the same`(text: String) async throws {
    #expect(try await refusal(text, asked: text) == .proofMismatch)
  }

  @Test(arguments: withoutHost)
  func `cannot be compared with a request's that has no scheme and host, which is the server's fault`(
    text: String
  ) async throws {
    // Whatever the proof is: the first request of any client reveals it.
    for proof in [try ProofScene.proof(), try ProofScene.proof(["htu": .string(text)]), "", "no proof"] {
      let verifier = DPoPVerifier(replays: MemoryReplayStore())
      do {
        _ = try await verifier.verify(proof, for: DPoPRequest(method: "POST", uri: text), at: ProofScene.now)
        Issue.record("\(text) was accepted")
      } catch {
        #expect(error.code == .invalidArgument && error.message.contains("https://"), "\(text): \(error)")
        #expect(try verifier.challenge(refusingProof: error) == nil)
      }
    }
  }

  @Test func `has 4096 bytes at most`() async throws {
    let text = "https://example.com/" + String(repeating: "a", count: 4076)
    #expect(try await refusal(text, asked: text) == nil)
    #expect(try await refusal(text + "a", asked: text + "a") == .proofMismatch)
  }
}
