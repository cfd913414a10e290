import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `AES key wrap` {
  @Test(arguments: [
    ("4.1", 16, 16, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
    ("4.2", 24, 16, "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"),
    ("4.3", 32, 16, "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"),
    ("4.6", 32, 32, "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
  ])
  func `wraps and unwraps as RFC 3394 says`(section: String, wrapping: Int, count: Int, wrapped: String) throws {
    let wrappingKey = SecretBytes(Array(0..<UInt8(wrapping)))
    let key = Array(bytes(hex: "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f").prefix(count))
    #expect(try KeyWrap.wrap(SecretBytes(key), with: wrappingKey) == bytes(hex: wrapped))
    #expect(try KeyWrap.unwrap(bytes(hex: wrapped), with: wrappingKey).revealed == key)
  }

  @Test func `refuses whatever was changed, and always with one answer`() throws {
    let wrappingKey = SecretBytes(Array(0..<16))
    let wrapped = try KeyWrap.wrap(SecretBytes(Array(0..<32)), with: wrappingKey)
    var wrong = wrapped.indices.map { flipped(wrapped, at: $0) }
    wrong += [[], Array(wrapped.prefix(8)), Array(wrapped.prefix(16)), Array(wrapped.dropLast()), wrapped + [0]]
    wrong += [Array(wrapped.dropLast(8)), wrapped + wrapped, Array(repeating: 0, count: 8000)]
    for wrapped in wrong {
      #expect(
        refusal { try KeyWrap.unwrap(wrapped, with: wrappingKey) } == .decryptionFailed)
      #expect(OpenSSLErrors.areNone)
    }
    let stranger = SecretBytes(Array(1..<17))
    #expect(refusal { try KeyWrap.unwrap(wrapped, with: stranger) } == .decryptionFailed)
  }

  @Test func `refuses keys whose length does not serve`() throws {
    let good = SecretBytes(Array(0..<16))
    for length in [0, 1, 15, 17, 31, 33, 64] {
      let key = SecretBytes(Array(repeating: 1, count: length))
      #expect(refusal { try KeyWrap.wrap(good, with: key) } == .keyInvalid)
      #expect(
        refusal { try KeyWrap.unwrap(Array(repeating: 1, count: 24), with: key) }
          == .keyInvalid)
      guard length != 64 else { continue }
      #expect(refusal { try KeyWrap.wrap(key, with: good) } == .keyInvalid)
    }
  }
}

struct `A derived key` {
  @Test func `is what RFC 7518 C says`() throws {
    let secret = SecretBytes(bytes(hex: "9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4"))
    let key = try ConcatKDF.derive(
      from: secret, algorithm: "A128GCM", partyU: Array("Alice".utf8), partyV: Array("Bob".utf8), count: 16)
    #expect(Base64URL.encode(key.revealed) == "VqqN6vgjbSBcIijNcacQGg")
  }

  @Test func `is another one for another algorithm, party or length`() throws {
    let secret = SecretBytes(Array(0..<32))
    func derive(_ algorithm: String, _ u: String, _ v: String, _ count: Int) throws(AuthError) -> [UInt8] {
      try ConcatKDF.derive(
        from: secret, algorithm: algorithm, partyU: Array(u.utf8), partyV: Array(v.utf8), count: count
      ).revealed
    }
    let keys = [
      try derive("A", "B", "C", 16), try derive("AB", "", "C", 16), try derive("A", "", "BC", 16),
      try derive("A", "BC", "", 16), try derive("", "AB", "C", 16), Array(try derive("A", "B", "C", 64).prefix(16)),
    ]
    #expect(Set(keys).count == keys.count)
    #expect(try derive("A", "B", "C", 64).count == 64)
    for count in [0, -1, ConcatKDF.maximumOutputLength + 1, .max] {
      #expect(refusal { try derive("A", "B", "C", count) } == .invalidArgument)
    }
  }
}
