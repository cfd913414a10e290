import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `A key agreement` {
  private static func p256(_ x: String, _ y: String, _ d: String) throws -> PrivateKey {
    try PrivateKey(
      .ec(.p256, x: Base64URL.decode(x), y: Base64URL.decode(y), d: SecretBytes(Base64URL.decode(d))))
  }

  private static func x25519(_ x: String, _ d: String) throws -> PrivateKey {
    try PrivateKey(.okp(.x25519, publicKey: bytes(hex: x), privateKey: SecretBytes(bytes(hex: d))))
  }

  @Test func `on P-256 comes to the secret of RFC 7518 C`() throws {
    let alice = try Self.p256(
      "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0", "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
      "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo")
    let bob = try Self.p256(
      "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ", "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
      "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw")
    let secret = bytes(hex: "9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")
    #expect(try alice.agree(with: bob.publicKey).revealed == secret)
    #expect(try bob.agree(with: alice.publicKey).revealed == secret)
  }

  @Test func `with X25519 comes to the secret of RFC 7748 6.1`() throws {
    let alice = try Self.x25519(
      "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
      "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    let bob = try Self.x25519(
      "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
      "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    let secret = bytes(hex: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(try alice.agree(with: bob.publicKey).revealed == secret)
    #expect(try bob.agree(with: alice.publicKey).revealed == secret)
  }

  @Test(arguments: [(KeyType.p256, 32), (.p384, 48), (.p521, 66), (.x25519, 32)])
  func `comes to one secret on both sides, as long as the curve's numbers`(type: KeyType, count: Int) throws {
    #expect(type.agreesOnKeys)
    let (one, other) = (try PrivateKey.generate(type), try PrivateKey.generate(type))
    let secret = try one.agree(with: other.publicKey)
    #expect(secret.count == count)
    #expect(try other.agree(with: one.publicKey) == secret)
    #expect(try one.agree(with: PrivateKey.generate(type).publicKey) != secret)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `wants keys on one curve, and curves that agree`() throws {
    let types = [KeyType.p256, .p384, .p521, .x25519, .secp256k1, .ed25519, .rsa(bits: 2048)]
    let keys = try types.map(PrivateKey.generate)
    for (place, key) in keys.enumerated() {
      for (otherPlace, other) in keys.enumerated() where place != otherPlace || !key.type.agreesOnKeys {
        #expect(refusal { try key.agree(with: other.publicKey) } == .keyInvalid)
        #expect(OpenSSLErrors.areNone)
      }
    }
  }

  /// The points with which every key has the same secret, all zeros (RFC 7748 §6.1).
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ])
  func `with X25519 refuses points of small order`(point: String) throws {
    let key = try PrivateKey.generate(.x25519)
    // As a key alone it violates no rule.
    let other = try PublicKey(.okp(.x25519, bytes(hex: point)))
    #expect(refusal { try key.agree(with: other) } == .keyInvalid)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `with X25519 takes a number for what it is below the prime, and leaves its highest bit out`() throws {
    let key = try PrivateKey.generate(.x25519)
    let nine = [9] + Array(repeating: UInt8(0), count: 31)
    let secret = try key.agree(with: PublicKey(.okp(.x25519, nine)))
    let more = [0xF6] + Array(repeating: UInt8(0xFF), count: 30) + [0x7F]
    for other in [more, nine.dropLast() + [0x80]] {
      #expect(try key.agree(with: PublicKey(.okp(.x25519, other))) == secret)
    }
  }
}
