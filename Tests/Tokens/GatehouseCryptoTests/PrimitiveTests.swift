import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `OpenSSL` {
  @Test func `hashes as FIPS 180-4 says`() throws {
    #expect(
      try HashAlgorithm.sha256.hash(Array("abc".utf8))
        == bytes(hex: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      try HashAlgorithm.sha256.hash([])
        == bytes(hex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    )
  }

  /// Nothing else would tell before a user's first sign-in with an imported password.
  @Test(arguments: LegacyHash.allCases) func `has each hash of other systems`(hash: LegacyHash) throws {
    #expect(try hash.hash(Array("abc".utf8)).count == hash.length)
    #expect(try hash.tag(of: Array("abc".utf8), key: SecretBytes(Array("key".utf8))).count == hash.length)
    #expect(try hash.derive(password: [1], salt: [2], rounds: 1, count: 7).count == 7)
  }

  @Test(arguments: [-1, .min, .max, RandomBytes.maximumCount + 1])
  func `makes no count of random bytes that cannot be`(count: Int) {
    let error = #expect(throws: AuthError.self) { try RandomBytes.make(count) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `authenticates as RFC 4231 says`() throws {
    func tag(_ count: Int, _ hash: HashAlgorithm) throws -> [UInt8] {
      let key = try SecretKey(Array(repeating: 0xAA, count: count))
      return try key.authenticate(Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), with: hash)
    }
    #expect(try tag(131, .sha256) == bytes(hex: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
    #expect(
      try tag(131, .sha384)
        == bytes(
          hex: """
            4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f\
            3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952
            """))
    #expect(
      try tag(131, .sha512)
        == bytes(
          hex: """
            80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
            6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598
            """))
    // Keys as long as a block, and one byte longer (not from the RFC).
    #expect(try tag(64, .sha256) == bytes(hex: "84332a7580ed3cf75de83c644c8d2c1c262ad90e0190e5c5ae4b82b2102e8e75"))
    #expect(try tag(65, .sha256) == bytes(hex: "c62955a96944ff68deabbc0eab6192065c1c55bb8ddee16151ed5337f911eab9"))
    #expect(try Array(tag(128, .sha512).prefix(16)) == bytes(hex: "3509e3c2f595a04cded036836e060941"))
    #expect(try Array(tag(129, .sha512).prefix(16)) == bytes(hex: "43a4b1f8caa79d9bd189d279990481e7"))
  }

  @Test func `derives as RFC 7914 says`() throws {
    func derive(_ password: String, _ salt: String, n: Int, r: Int, p: Int) throws -> [UInt8] {
      try Scrypt.derive(password: Array(password.utf8), salt: Array(salt.utf8), n: n, r: r, p: p, count: 64)
    }
    #expect(
      try derive("", "", n: 16, r: 1, p: 1)
        == bytes(
          hex: """
            77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
            fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
            """))
    #expect(
      try derive("password", "NaCl", n: 1024, r: 8, p: 16)
        == bytes(
          hex: """
            fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
            2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
            """))
  }

  @Test func `derives with more memory than OpenSSL takes unasked`() throws {
    let key = try Scrypt.derive(password: [1], salt: [2], n: 1 << 16, r: 8, p: 1, count: 32)
    #expect(key.count == 32)
  }

  @Test func `refuses costs that make no sense, or too much`() {
    for (n, r, p, count) in [
      (0, 8, 1, 32), (1, 8, 1, 32), (3, 8, 1, 32), (-2, 8, 1, 32), (1024, 0, 1, 32), (1024, 8, 0, 32),
      (1024, 8, -1, 32),
      (1024, 8, 1, 0), (1 << 24, 1024, 1, 32), (.max, .max, .max, .max), (.min, 8, 1, 32),
    ] {
      #expect(
        refusal {
          try Scrypt.derive(password: [], salt: [], n: n, r: r, p: p, count: count)
        } == .invalidArgument, "\(n) \(r) \(p) \(count)")
    }
  }

  @Test func `makes as many random bytes as asked, and other ones each time`() throws {
    #expect(try RandomBytes.make(0).isEmpty)
    let first = try RandomBytes.make(32)
    #expect(first.count == 32)
    #expect(try first != RandomBytes.make(32))
  }

  @Test func `compares bytes whole`() {
    #expect(constantTimeEquals([], []))
    #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEquals([1, 2, 3], [0, 2, 3]))
    #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
    #expect(!constantTimeEquals([], [0]))
  }
}

struct `A call that fails` {
  /// Synchronous throughout: the error queue belongs to the thread.
  @Test func `leaves nothing in OpenSSL's queue of errors`() throws {
    for (type, algorithm) in Keys.types {
      let key = try PrivateKey.generate(type)
      #expect(OpenSSLErrors.areNone)
      let signature = try key.sign([1], with: algorithm)
      #expect(OpenSSLErrors.areNone)
      for forged in [signature.reversed(), Array(repeating: 0xFF, count: signature.count), signature] as [[UInt8]] {
        #expect(try !key.publicKey.isValid(forged, for: [2], with: algorithm))
        #expect(OpenSSLErrors.areNone)
      }
      _ = try PrivateKey(pem: key.pem())
      _ = try PublicKey(pem: key.publicKey.pem())
      #expect(OpenSSLErrors.areNone)
    }
    let x = Array(repeating: UInt8(1), count: 32)
    #expect(refusal { try PublicKey(.ec(.p256, x: x, y: x)) } == .keyInvalid)
    #expect(OpenSSLErrors.areNone)
    let empty = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
    #expect(refusal { try PublicKey(pem: empty) } == .keyInvalid)
    #expect(OpenSSLErrors.areNone)
    _ = try SecretKey([0x30] + Array(repeating: 1, count: 40))
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `says what OpenSSL says, and never what it was given`() {
    do throws(AuthError) {
      _ = try typed { try PublicKey(.ec(.p256, x: Array(repeating: 1, count: 32), y: Array(repeating: 1, count: 32))) }
      Issue.record("the key was taken")
    } catch { #expect(error.message.contains("not on curve") || error.message.contains("EC lib"), "\(error)") }
  }
}
