import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

/// Forged or different signatures, made with the private key itself, as a forger could make them for a small exponent.
struct `A signature of RSA` {
  private func isValid(_ signature: String, _ algorithm: SignatureAlgorithm) throws -> Bool {
    let key = try PublicKey(pem: PEMFixture.rsaPublic)
    let bytes = bytes(base64: signature)
    #expect(bytes.count == 256)
    return try key.isValid(bytes, for: Array("a message".utf8), with: algorithm)
  }

  @Test func `by PKCS 1 is the one block that there is for a message (group 15)`() throws {
    #expect(try isValid(RSASignatureFixture.pkcs1, .rsaPKCS1(.sha256)))
    for (name, forged) in [
      ("without the NULL", RSASignatureFixture.noNull), ("a byte after the hash", RSASignatureFixture.trailing),
      ("a length in two bytes", RSASignatureFixture.longForm), ("only the hash", RSASignatureFixture.bare),
      ("another hash", RSASignatureFixture.sha1), ("junk behind a short padding", RSASignatureFixture.garbage),
      ("a block for encryption", RSASignatureFixture.type2), ("PSS", RSASignatureFixture.pss),
    ] { #expect(try !isValid(forged, .rsaPKCS1(.sha256)), "\(name)") }
    for hash in [HashAlgorithm.sha384, .sha512] { #expect(try !isValid(RSASignatureFixture.pkcs1, .rsaPKCS1(hash))) }
  }

  @Test func `by PSS has a salt as long as the hash, and the hash in its mask (group 15)`() throws {
    #expect(try isValid(RSASignatureFixture.pss, .rsaPSS(.sha256)))
    for (name, other) in [
      ("no salt", RSASignatureFixture.pss0), ("20 bytes of salt", RSASignatureFixture.pss20),
      ("64 bytes of salt", RSASignatureFixture.pss64), ("as much salt as fits", RSASignatureFixture.pss222),
      ("SHA-1 in the mask", RSASignatureFixture.pssMGF1), ("PKCS 1", RSASignatureFixture.pkcs1),
    ] { #expect(try !isValid(other, .rsaPSS(.sha256)), "\(name)") }
    for hash in [HashAlgorithm.sha384, .sha512] {
      #expect(try !isValid(RSASignatureFixture.pss, .rsaPSS(hash)))
      #expect(try !isValid(RSASignatureFixture.pss64, .rsaPSS(hash)))
    }
  }
}
