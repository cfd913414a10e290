import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `RSA-OAEP-256` {
  @Test func `gives back what it encrypted, and encrypts otherwise each time`() throws {
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    for length in [0, 1, 16, 64, 190] {
      let secret = try RandomBytes.make(length)
      let encrypted = try key.publicKey.encryptOAEP(SecretBytes(secret))
      #expect(encrypted.count == 256)
      #expect(try key.publicKey.encryptOAEP(SecretBytes(secret)) != encrypted)
      #expect(try key.decryptOAEP(encrypted).revealed == secret)
    }
  }

  @Test func `refuses whatever was changed, and always with one answer`() throws {
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let encrypted = try key.publicKey.encryptOAEP(SecretBytes([1, 2, 3]))
    let stranger = try PrivateKey.generate(.rsa(bits: 2048))
    var wrong = [0, 1, 100, 255].map { flipped(encrypted, at: $0) }
    wrong += [[], [0], encrypted.dropLast(), [0] + encrypted, encrypted + [0], Array(repeating: 0, count: 256)]
    wrong += [Array(repeating: 0xFF, count: 256), try stranger.publicKey.encryptOAEP(SecretBytes([1]))]
    for encrypted in wrong {
      #expect(refusal { try key.decryptOAEP(encrypted) } == .decryptionFailed)
      #expect(OpenSSLErrors.areNone)
    }
  }

  @Test func `refuses a number without its leading zero, which has one spelling too many`() throws {
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    var encrypted: [UInt8] = []
    // One in 256 begins with zero.
    while encrypted.first != 0 { encrypted = try key.publicKey.encryptOAEP(SecretBytes([7])) }
    #expect(try key.decryptOAEP(encrypted).revealed == [7])
    #expect(refusal { try key.decryptOAEP(Array(encrypted.dropFirst())) } == .decryptionFailed)
  }

  @Test func `with SHA-1 is another encryption`() throws {
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    for length in [0, 64, 214] {
      let secret = try RandomBytes.make(length)
      let encrypted = try key.publicKey.encryptOAEP(SecretBytes(secret), hash: .sha1)
      #expect(try key.decryptOAEP(encrypted, hash: .sha1).revealed == secret)
      #expect(refusal { try key.decryptOAEP(encrypted) } == .decryptionFailed)
    }
    let tooLong = SecretBytes(Array(repeating: 1, count: 215))
    #expect(refusal { try key.publicKey.encryptOAEP(tooLong, hash: .sha1) } == .keyInvalid)
  }

  @Test func `wants an RSA key, and a secret that fits`() throws {
    let rsa = try PrivateKey.generate(.rsa(bits: 2048))
    let p256 = try PrivateKey.generate(.p256)
    let tooLong = SecretBytes(Array(repeating: 1, count: 191))
    #expect(refusal { try rsa.publicKey.encryptOAEP(tooLong) } == .keyInvalid)
    #expect(refusal { try p256.publicKey.encryptOAEP(SecretBytes([1])) } == .keyInvalid)
    #expect(refusal { try p256.decryptOAEP([1]) } == .keyInvalid)
  }
}
