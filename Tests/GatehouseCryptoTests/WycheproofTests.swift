import GatehouseBase
import GatehouseCrypto
import Testing

@Suite(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `Wycheproof's signatures` {
  @Test(arguments: [
    ("ecdsa_secp256r1_sha256_p1363", SignatureAlgorithm.ecdsaP256SHA256, 262),
    ("ed25519", .ed25519, 151),
    ("rsa_signature_2048_sha256", .rsaPKCS1SHA256, 259),
  ])
  func `are answered as they ask`(file: String, algorithm: SignatureAlgorithm, count: Int) throws {
    var seen = 0
    for group in try Vectors.groups(file) {
      let key = try PublicKey(pem: #require(group["publicKeyPem"]?.string))
      for test in group["tests"]?.array?.map(VectorTest.init) ?? [] {
        let valid = try key.isValid(test.signature, for: test.message, with: algorithm)
        // Of what may be decided either way (a missing NULL in PKCS #1), nothing is accepted.
        #expect(valid == (test.result == "valid"), "\(file) \(test.id)")
        seen += 1
      }
    }
    #expect(seen == count)
  }

  @Test func `are answered for HMAC, and tags that were cut are refused`() throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("hmac_sha256") {
      let whole = group["tagSize"]?.integer == 256
      for test in group["tests"]?.array?.map(VectorTest.init) ?? [] {
        guard let key = try? SymmetricKey(test.key) else {
          #expect(test.key.count < SymmetricKey.minimumLength, "\(test.id)")
          seen["short key", default: 0] += 1
          continue
        }
        #expect(try key.isValid(test.signature, for: test.message) == (whole && test.result == "valid"), "\(test.id)")
        seen[whole ? "whole" : "cut", default: 0] += 1
      }
    }
    #expect(seen == ["whole": 84, "cut": 84, "short key": 6])
  }
}
