import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

/// An example from an RFC: the inputs and the expected output.
struct CipherExample: Sendable, CustomTestStringConvertible {
  let source: String
  let cipher: AuthenticatedCipher
  let key, nonce, data, message, ciphertext, tag: [UInt8]

  var testDescription: String { source }
  var sealed: SealedMessage { SealedMessage(nonce: nonce, ciphertext: ciphertext, tag: tag) }

  /// An example from RFC 7518 appendix B: they differ only in cipher and key.
  private static func kerckhoffs(
    _ source: String, _ cipher: AuthenticatedCipher, ciphertext: [UInt8], tag: [UInt8]
  ) -> CipherExample {
    let message = """
      A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy \
      without inconvenience
      """
    return CipherExample(
      source: source, cipher: cipher, key: Array(0..<UInt8(cipher.keyLength)),
      nonce: bytes(hex: "1af38c2dc2b96ffdd86694092341bc04"),
      data: Array("The second principle of Auguste Kerckhoffs".utf8), message: Array(message.utf8),
      ciphertext: ciphertext, tag: tag)
  }

  private static let gcmMessage = bytes(
    hex: """
      d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657\
      ba637b39
      """)

  static let all = [
    CipherExample(
      source: "GCM specification, case 4", cipher: .aes128GCM,
      key: bytes(hex: "feffe9928665731c6d6a8f9467308308"), nonce: bytes(hex: "cafebabefacedbaddecaf888"),
      data: bytes(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2"), message: gcmMessage,
      ciphertext: bytes(
        hex: """
          42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0a\
          ac973d58e091
          """), tag: bytes(hex: "5bc94fbc3221a5db94fae95ae7121a47")),
    CipherExample(
      source: "GCM specification, case 16", cipher: .aes256GCM,
      key: bytes(hex: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
      nonce: bytes(hex: "cafebabefacedbaddecaf888"), data: bytes(hex: "feedfacedeadbeeffeedfacedeadbeefabaddad2"),
      message: gcmMessage,
      ciphertext: bytes(
        hex: """
          522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba\
          7a0abcc9f662
          """), tag: bytes(hex: "76fc6ece0f4e1768cddf8853bb2d551b")),
    kerckhoffs(
      "RFC 7518 B.1", .aes128CBCHMACSHA256,
      ciphertext: bytes(
        hex: """
          c80edfa32ddf39d5ef00c0b468834279a2e46a1b8049f792f76bfe54b903a9c9a94ac9b47ad2655c5f10f9aef71427e2fc6f9b3f399a\
          221489f16362c703233609d45ac69864e3321cf82935ac4096c86e133314c54019e8ca7980dfa4b9cf1b384c486f3a54c51078158ee5\
          d79de59fbd34d848b3d69550a67646344427ade54b8851ffb598f7f80074b9473c82e2db
          """), tag: bytes(hex: "652c3fa36b0a7c5b3219fab3a30bc1c4")),
    kerckhoffs(
      "RFC 7518 B.2", .aes192CBCHMACSHA384,
      ciphertext: bytes(
        hex: """
          ea65da6b59e61edb419be62d19712ae5d303eeb50052d0dfd6697f77224c8edb000d279bdc14c1072654bd30944230c657bed4ca0c9f\
          4a8466f22b226d1746214bf8cfc2400add9f5126e479663fc90b3bed787a2f0ffcbf3904be2a641d5c2105bfe591bae23b1d7449e532\
          eef60a9ac8bb6c6b01d35d49787bcd57ef484927f280adc91ac0c4e79c7b11efc60054e3
          """), tag: bytes(hex: "8490ac0e58949bfe51875d733f93ac2075168039ccc733d7")),
    kerckhoffs(
      "RFC 7518 B.3", .aes256CBCHMACSHA512,
      ciphertext: bytes(
        hex: """
          4affaaadb78c31c5da4b1b590d10ffbd3dd8d5d302423526912da037ecbcc7bd822c301dd67c373bccb584ad3e9279c2e6d12a1374b7\
          7f077553df829410446b36ebd97066296ae6427ea75c2e0846a11a09ccf5370dc80bfecbad28c73f09b3a3b75e662a2594410ae496b2\
          e2e6609e31e6e02cc837f053d21f37ff4f51950bbe2638d09dd7a4930930806d0703b1f6
          """), tag: bytes(hex: "4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5")),
  ]
}

struct `An authenticated cipher` {
  @Test(arguments: CipherExample.all)
  func `encrypts and decrypts as its specification says`(example: CipherExample) throws {
    let key = SecretBytes(example.key)
    let sealed = try example.cipher.seal(
      example.message, authenticating: example.data, key: key, nonce: example.nonce)
    #expect(sealed == example.sealed)
    #expect(try example.cipher.open(sealed, authenticating: example.data, key: key) == example.message)
  }

  @Test(arguments: AuthenticatedCipher.allCases)
  func `gives back what it sealed, of any length, under another nonce each time`(cipher: AuthenticatedCipher) throws {
    let key = try cipher.makeKey()
    #expect(key.count == cipher.keyLength)
    for length in [0, 1, 15, 16, 17, 1000] {
      let message = try RandomBytes.make(length)
      let sealed = try cipher.seal(message, authenticating: [1], key: key)
      #expect(sealed.nonce.count == cipher.nonceLength)
      #expect(sealed.tag.count == cipher.tagLength)
      #expect(try cipher.seal(message, authenticating: [1], key: key).nonce != sealed.nonce)
      #expect(try cipher.open(sealed, authenticating: [1], key: key) == message)
    }
  }

  @Test(arguments: CipherExample.all)
  func `refuses whatever was changed, and always with one answer`(example: CipherExample) throws {
    let good = example.sealed
    let key = SecretBytes(example.key)
    var wrong: [(String, SealedMessage, data: [UInt8], key: [UInt8])] = []
    func add(
      _ what: String, nonce: [UInt8]? = nil, ciphertext: [UInt8]? = nil, tag: [UInt8]? = nil, data: [UInt8]? = nil,
      key: [UInt8]? = nil
    ) {
      let sealed = SealedMessage(
        nonce: nonce ?? good.nonce, ciphertext: ciphertext ?? good.ciphertext, tag: tag ?? good.tag)
      wrong.append((what, sealed, data ?? example.data, key ?? example.key))
    }
    for place in [0, good.ciphertext.count / 2, good.ciphertext.count - 1] {
      add("ciphertext at \(place)", ciphertext: flipped(good.ciphertext, at: place))
    }
    for place in good.tag.indices { add("tag at \(place)", tag: flipped(good.tag, at: place)) }
    for place in good.nonce.indices { add("nonce at \(place)", nonce: flipped(good.nonce, at: place)) }
    for place in example.data.indices { add("data at \(place)", data: flipped(example.data, at: place)) }
    // With HMAC, and only there, the key's halves fail separately.
    for place in [0, example.key.count - 1] { add("key at \(place)", key: flipped(example.key, at: place)) }
    add("no ciphertext", ciphertext: [])
    add("shorter ciphertext", ciphertext: good.ciphertext.dropLast())
    add("longer ciphertext", ciphertext: good.ciphertext + [0])
    add("no data", data: [])
    add("data moved", ciphertext: example.data + good.ciphertext, data: [])
    for length in [0, 1, 8, 12, good.tag.count - 1] { add("tag of \(length)", tag: Array(good.tag.prefix(length))) }
    add("longer tag", tag: good.tag + [0])
    add("no nonce", nonce: [])
    add("shorter nonce", nonce: good.nonce.dropLast())
    add("longer nonce", nonce: good.nonce + [0])

    let answer = AuthError.undecipherable
    for (what, sealed, data, key) in wrong {
      do {
        _ = try example.cipher.open(sealed, authenticating: data, key: SecretBytes(key))
        Issue.record("\(what) was accepted")
      } catch {
        #expect(error.code == .decryptionFailed && error.message == answer.message, "\(what): \(error)")
      }
      #expect(OpenSSLErrors.areNone, "\(what)")
    }
    #expect(try example.cipher.open(good, authenticating: example.data, key: key) == example.message)
  }

  @Test(arguments: AuthenticatedCipher.allCases)
  func `takes keys of its own length only`(cipher: AuthenticatedCipher) throws {
    let sealed = try cipher.seal([1], key: cipher.makeKey())
    for length in [0, 1, 16, 24, 32, 48, 64, 65] where length != cipher.keyLength {
      let key = SecretBytes(Array(repeating: 1, count: length))
      #expect(refusal { try cipher.seal([1], key: key) } == .keyInvalid)
      #expect(refusal { try cipher.open(sealed, key: key) } == .keyInvalid)
    }
    let key = try cipher.makeKey()
    for length in [0, 8, 12, 16, 17] where length != cipher.nonceLength {
      let nonce = Array(repeating: UInt8(1), count: length)
      #expect(
        refusal { try cipher.seal([1], authenticating: [], key: key, nonce: nonce) }
          == .invalidArgument)
    }
  }
}

/// Returns the bytes with the lowest bit of one of them flipped.
func flipped(_ bytes: [UInt8], at place: Int) -> [UInt8] {
  var bytes = bytes
  bytes[place] ^= 1
  return bytes
}
