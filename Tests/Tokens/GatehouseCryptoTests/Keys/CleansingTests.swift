import GatehouseBase
import GatehouseCrypto
import HangGuard
import TestSupport
import Testing

/// Whether secrets are erased from memory after their last release: each test searches all memory of its own process.
///
/// Each test makes many copies of its secret: a single freed copy is soon overwritten by the search itself, and then
/// the test could not fail.
@Suite(.endsIfItHangs)
struct `A secret that nobody holds any more` {
  @Test func `is nowhere in memory`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let search = try MemorySearch()
      var bytes = try RandomBytes.make(64)
      let masked = MaskedBytes(bytes.span)
      var secrets = (0..<100).map { _ in
        var copy = bytes
        return SecretBytes(moving: &copy)
      }
      secrets.append(SecretBytes(moving: &bytes))
      // Otherwise the search could find nothing in any case.
      #expect(try search.finds(masked))
      #expect(secrets.count == 101)
      secrets = []
      #expect(try !search.finds(masked))
    }
  }

  @Test func `is nowhere in memory when it was shared, and has authenticated`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let search = try MemorySearch()
      var key: SecretKey? = try SecretKey.generate(count: 64)
      let masked = try #require(key).bytes.withBytes { MaskedBytes($0) }
      _ = try key?.authenticate([1, 2, 3])
      #expect(try search.finds(masked))
      #expect(key != nil)
      key = nil
      #expect(try !search.finds(masked))
    }
  }

  /// The kinds of keys that a child creates, by the name that is passed to it.
  ///
  /// Without Ed25519: OpenSSL 3.0 itself leaves a copy of such a key on the heap when it creates one, as a C program
  /// that does nothing else shows.
  enum Kind: String, CaseIterable, Codable, Sendable {
    case rsa, p256, p521, secp256k1, ed448

    var key: (KeyType, SignatureAlgorithm) {
      switch self {
      case .rsa: (.rsa(bits: 2048), .rsaPSS(.sha256))
      case .p256: (.p256, .ecdsa(.p256))
      case .p521: (.p521, .ecdsa(.p521))
      case .secp256k1: (.secp256k1, .ecdsa(.secp256k1))
      case .ed448: (.ed448, .ed448)
      }
    }
  }

  /// A key's private number in its external form, and in OpenSSL's internal one. The caller keeps no copy of it.
  private static func masked(_ numbers: PrivateKey.Parameters) -> [MaskedBytes] {
    let secret =
      switch numbers {
      case .rsa(let numbers): numbers.d
      case .ec(_, _, _, let d), .okp(_, _, let d): d
      }
    return secret.withBytes { [MaskedBytes($0), MaskedBytes(reversing: $0)] }
  }

  @Test(arguments: Kind.allCases)
  func `is nowhere in memory when it was a private key's number, and has signed`(kind: Kind) async {
    await #expect(processExitsWith: .success) { [kind] in
      endIfItHangs()
      let search = try MemorySearch()
      let (type, algorithm) = kind.key
      var key: PrivateKey? = try PrivateKey.generate(type)
      var numbers = try (0..<50).compactMap { _ in try key?.revealedParameters() }
      let masked = try Self.masked(#require(numbers.first))
      _ = try key?.sign([1, 2, 3], with: algorithm)
      var copy: PrivateKey? = try PrivateKey(#require(numbers.first))
      numbers = []
      #expect(try search.finds(masked[0]) || search.finds(masked[1]))
      #expect(key?.publicKey == copy?.publicKey)
      key = nil
      copy = nil
      #expect(try !search.finds(masked[0]))
      #expect(try !search.finds(masked[1]))
    }
  }
}
