import Foundation
import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `A chain of certificates` {
  private static let now = 1_900_000_000.0

  /// The error with which a chain is rejected; `nil` if it is accepted.
  private static func refusal(
    of chain: CertificateFixture..., roots: [CertificateFixture] = [.root], at now: Double = now, name: String? = nil
  ) throws -> AuthError? {
    let chain = try chain.map { try X509Certificate($0) }
    let roots = try roots.map { try X509Certificate($0) }
    do throws(AuthError) {
      #expect(try CertificateChain.verify(chain, roots: roots, at: now, name: name) == chain.first)
      return nil
    } catch {
      #expect(OpenSSLErrors.areNone)
      return error
    }
  }

  @Test func `that leads to a root is accepted, with the root or without it`() throws {
    #expect(try Self.refusal(of: .leaf, .middle) == nil)
    #expect(try Self.refusal(of: .leaf, .middle, .root) == nil)
    #expect(try Self.refusal(of: .plain, .middle) == nil)
    #expect(try Self.refusal(of: .ed25519, .middle, roots: [.impostor, .root]) == nil)
    #expect(try Self.refusal(of: .childOfDeep4, .deep4, .deep3, .deep2, .deep1) == nil)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `that leads to no root that was handed in is refused, whatever the machine trusts`() throws {
    #expect(try Self.refusal(of: .leaf, .middle, roots: [])?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .leaf, .middle, .root, roots: [.impostor])?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .leaf)?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .leaf, .short)?.code == .certificateUntrusted)
    // A certificate that is not self-signed is not a root.
    #expect(try Self.refusal(of: .leaf, roots: [.middle])?.code == .certificateUntrusted)
    #expect(
      TestSupport.refusal { try CertificateChain.verify([], roots: [], at: Self.now) }
        == .certificateUntrusted)
  }

  @Test func `is refused before and after its time`() throws {
    let leaf = try X509Certificate(.leaf)
    let root = try X509Certificate(.root)
    #expect(try Self.refusal(of: .leaf, .middle, at: leaf.notBefore.wall) == nil)
    #expect(try Self.refusal(of: .leaf, .middle, at: root.notAfter.wall - 1) == nil)
    #expect(try Self.refusal(of: .leaf, .middle, at: root.notBefore.wall - 1)?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .leaf, .middle, at: leaf.notAfter.wall + 1)?.code == .certificateUntrusted)
    for moment in [Double.nan, .infinity, 1e300, -1e300] {
      #expect(try Self.refusal(of: .leaf, .middle, at: moment)?.code == .invalidArgument)
    }
    #expect(try Self.refusal(of: .leaf, .middle, at: 1e18)?.code == .certificateUntrusted)
  }

  @Test func `is refused when somebody signs who is no CA, or may not sign certificates, or not so deep`() throws {
    #expect(try Self.refusal(of: .childOfLeaf, .leaf, .middle)?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .childOfMute, .mute)?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .childOfBelow, .below, .short)?.code == .certificateUntrusted)
  }

  @Test func `is refused when its root is of the time before CAs said that they are`() throws {
    #expect(try Self.refusal(of: .childOfOld, roots: [.old])?.code == .certificateUntrusted)
  }

  @Test func `is refused when it is too long`() throws {
    #expect(
      try Self.refusal(of: .childOfDeep5, .deep5, .deep4, .deep3, .deep2, .deep1)?.code == .certificateUntrusted)
    #expect(
      try Self.refusal(of: .childOfDeep5, .deep5, .deep4, .deep3, .deep2, .deep1, .root)?.code == .certificateUntrusted)
    // Unrelated certificates count too: each one costs time.
    #expect(try Self.refusal(of: .leaf, .middle, .deep1, .deep2, .deep3, .deep4) == nil)
    #expect(
      try Self.refusal(of: .leaf, .middle, .deep1, .deep2, .deep3, .deep4, .deep5)?.code == .certificateUntrusted)
  }

  @Test func `is refused when its first certificate is a CA, or its key may not make signatures`() throws {
    #expect(try Self.refusal(of: .middle)?.message.contains("CA certificate") == true)
    #expect(try Self.refusal(of: .root)?.message.contains("CA certificate") == true)
    #expect(try Self.refusal(of: .encipherment, .middle)?.message.contains("does not allow digital signatures") == true)
  }

  @Test func `is refused with SHA-1, a weak key, or a critical extension that is unknown`() throws {
    #expect(try Self.refusal(of: .sha1, .middle)?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .weak, .middle)?.code == .certificateUntrusted)
    #expect(try Self.refusal(of: .strange, .middle)?.code == .certificateUntrusted)
  }

  @Test func `is checked for a name when one is given`() throws {
    for name in ["tokens.example.org", "TOKENS.example.org", "a.example.net"] {
      #expect(try Self.refusal(of: .leaf, .middle, name: name) == nil, "\(name)")
    }
    for name in ["example.org", "a.b.example.net", "example.net", "leaf", "192.0.2.1", "tokens.example.org.evil"] {
      #expect(try Self.refusal(of: .leaf, .middle, name: name)?.code == .certificateUntrusted, "\(name)")
    }
    #expect(try Self.refusal(of: .plain, .middle, name: "plain")?.code == .certificateUntrusted)
    // OpenSSL would treat the first as no name at all, and the second as matching all subdomains.
    for name in ["", ".example.net", "tokens.example.org\0.evil", "tökens.example.org"] {
      #expect(try Self.refusal(of: .leaf, .middle, name: name)?.code == .invalidArgument, "\(name)")
    }
  }

  @Test func `with a signature that was changed is refused`() throws {
    var der = try X509Certificate(.leaf).der
    der[der.count - 1] ^= 1
    let chain = [try X509Certificate(der: der), try X509Certificate(.middle)]
    let roots = [try X509Certificate(.root)]
    #expect(
      TestSupport.refusal {
        try CertificateChain.verify(chain, roots: roots, at: Self.now)
      }
        == .certificateUntrusted)
  }
}
