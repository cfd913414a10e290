import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

/// Wycheproof's files for the algorithms of JOSE, with their numbers of tests. Those included in the project always
/// run; the others run if `GATEHOUSE_MORE_VECTORS` contains them.
struct `Wycheproof's signatures` {
  static let files: [(name: String, algorithm: SignatureAlgorithm, count: Int)] = [
    ("ecdsa_secp256r1_sha256_p1363", .ecdsa(.p256), 262),
    ("ecdsa_secp384r1_sha384_p1363", .ecdsa(.p384), 280),
    ("ecdsa_secp521r1_sha512_p1363", .ecdsa(.p521), 318),
    ("ecdsa_secp256k1_sha256_p1363", .ecdsa(.secp256k1), 252),
    ("ed25519", .ed25519, 151),
    ("ed448", .ed448, 87),
    ("rsa_signature_2048_sha256", .rsaPKCS1(.sha256), 259),
    ("rsa_signature_2048_sha384", .rsaPKCS1(.sha384), 258),
    ("rsa_signature_2048_sha512", .rsaPKCS1(.sha512), 259),
    ("rsa_signature_3072_sha256", .rsaPKCS1(.sha256), 259),
    ("rsa_signature_3072_sha384", .rsaPKCS1(.sha384), 259),
    ("rsa_signature_3072_sha512", .rsaPKCS1(.sha512), 260),
    ("rsa_signature_4096_sha256", .rsaPKCS1(.sha256), 258),
    ("rsa_signature_4096_sha384", .rsaPKCS1(.sha384), 259),
    ("rsa_signature_4096_sha512", .rsaPKCS1(.sha512), 259),
    ("rsa_signature_8192_sha256", .rsaPKCS1(.sha256), 258),
    ("rsa_pss_2048_sha256_mgf1_32", .rsaPSS(.sha256), 108),
    ("rsa_pss_3072_sha256_mgf1_32", .rsaPSS(.sha256), 108),
    ("rsa_pss_4096_sha256_mgf1_32", .rsaPSS(.sha256), 108),
    ("rsa_pss_2048_sha384_mgf1_48", .rsaPSS(.sha384), 141),
    ("rsa_pss_4096_sha384_mgf1_48", .rsaPSS(.sha384), 141),
    ("rsa_pss_4096_sha512_mgf1_64", .rsaPSS(.sha512), 179),
  ]

  @Test(arguments: files.filter { Vectors.has($0.name) })
  func `are answered as they ask`(file: (name: String, algorithm: SignatureAlgorithm, count: Int)) throws {
    var seen = 0
    for group in try Vectors.groups(file.name) {
      let key = try PublicKey(pem: #require(group["publicKeyPem"]?.string))
      let verifier = try MessageVerifier(key: key, algorithm: file.algorithm)
      for test in group["tests"]?.array?.map(VectorTest.init) ?? [] {
        let valid = try verifier.isValid(test.signature.span, for: test.message.span)
        // Of the tests whose result is optional (a missing NULL in PKCS #1), none is accepted.
        #expect(valid == (test.result == "valid"), "\(file.name) \(test.id)")
        seen += 1
      }
    }
    #expect(seen == file.count)
  }

  /// Signatures with a different salt or MGF1 from JOSE's: valid ones, none of which is accepted, and one that was
  /// changed to have JOSE's salt.
  @Test(
    arguments: [
      ("rsa_pss_2048_sha256_mgf1_0", SignatureAlgorithm.rsaPSS(.sha256)),
      ("rsa_pss_2048_sha256_mgf1sha1_20", .rsaPSS(.sha256)), ("rsa_pss_4096_sha512_mgf1_32", .rsaPSS(.sha512)),
    ].filter { Vectors.has($0.0) })
  func `of PSS with another salt or mask than JOSE's are refused`(file: String, algorithm: SignatureAlgorithm) throws {
    var seen = 0
    for group in try Vectors.groups(file) {
      let verifier = try MessageVerifier(
        key: PublicKey(pem: #require(group["publicKeyPem"]?.string)), algorithm: algorithm)
      for test in group["tests"]?.array ?? [] {
        let length = file.contains("sha512") ? 64 : 32
        let isOurs = test["comment"]?.string == "s_len changed to \(length)" && !file.contains("mgf1sha1")
        let vector = VectorTest(test)
        #expect(
          try verifier.isValid(vector.signature.span, for: vector.message.span) == isOurs, "\(file) \(vector.id)")
        seen += 1
      }
    }
    #expect(seen > 90)
  }

  @Test(
    arguments: [HashAlgorithm.sha256, .sha384, .sha512].filter { Vectors.has("hmac_sha\($0.length * 8)") })
  func `are answered for HMAC, and tags that were cut are refused`(hash: HashAlgorithm) throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("hmac_sha\(hash.length * 8)") {
      let whole = group["tagSize"]?.integer == Int64(hash.length * 8)
      for test in group["tests"]?.array?.map(VectorTest.init) ?? [] {
        guard let key = try? SecretKey(test.key), key.count >= hash.length else {
          #expect(test.key.count < hash.length, "\(test.id)")
          seen["short key", default: 0] += 1
          continue
        }
        let authenticator = try MessageAuthenticator(key: key, hash: hash)
        // Twice, so that the second tag is computed by a reused context.
        for _ in 0..<2 {
          let valid = try authenticator.isValid(test.signature.span, for: test.message.span)
          #expect(valid == (whole && test.result == "valid"), "\(test.id)")
        }
        seen[whole ? "whole" : "cut", default: 0] += 1
      }
    }
    #expect(seen == ["whole": 84, "cut": 84, "short key": 6])
  }
}
