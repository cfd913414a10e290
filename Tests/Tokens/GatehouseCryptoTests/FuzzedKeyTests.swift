import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

/// Regression tests for faults found by fuzzing, or while preparing it.
struct `Keys in PEM, after fuzzing` {
  private func refusal(_ pem: String, passphrase: Secret? = nil) -> AuthError? {
    do throws(AuthError) {
      _ = try typed { try PrivateKey(pem: Secret(pem), passphrase: passphrase) }
      return nil
    } catch { return error }
  }

  @Test func `a label that nobody should read is not quoted`() throws {
    for label in ["PRIVATE\u{0}KEY", "PRIV\u{1B}[2JATE", "É", String(repeating: "A", count: 65)] {
      let text = "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n"
      let error = try #require(refusal(text))
      #expect(error.code == .keyInvalid && !error.message.contains(label))
    }
    #expect(refusal("-----BEGIN NEWS-----\n")?.message.hasSuffix("found NEWS") == true)
  }

  @Test(arguments: [
    "-----BEGIN PRIVATE KEY----- \n", "-----BEGIN \u{301}PRIVATE KEY-----\n", "\r-----BEGIN PRIVATE KEY-----\n",
    String(repeating: " ", count: 254) + "-----BEGIN PRIVATE KEY-----\n",
  ])
  func `a second block is seen wherever it hides`(line: String) throws {
    let key = try PrivateKey.generate(.ed25519)
    let hidden = try key.pem().revealed.replacing("-----BEGIN PRIVATE KEY-----\n", with: line)
    let two = try hidden + PrivateKey.generate(.ed25519).publicKey.pem()
    #expect(TestSupport.refusal { try PublicKey(pem: two) } == .keyInvalid)
    #expect(try refusal(hidden + key.pem().revealed)?.code == .keyInvalid)
  }

  /// OpenSSL would spend minutes checking whether the first is a prime, which it is.
  @Test func `an RSA key whose primes are longer than they can be is refused at once`() throws {
    guard case .rsa(let n, let e) = try PrivateKey.generate(.rsa(bits: 2048)).publicKey.parameters else { return }
    let mersenne = [0x1F] + Array(repeating: 0xFF, count: 11_213 / 8) as [UInt8]
    let short = Array(repeating: 0x7F, count: 128) as [UInt8]
    for (d, p, q) in [(short, mersenne, short), (short, short, mersenne), (mersenne, short, short)] {
      let numbers = [[0], n, e, d, p, q, short, short, short]
      let pem = DER.pem("RSA PRIVATE KEY", DER.sequence(numbers.map(DER.integer)))
      #expect(refusal(pem)?.message.contains("too long") == true)
    }
  }

  @Test func `an RSA key of three primes is refused`() throws {
    let small = [0x7F] as [UInt8]
    guard case .rsa(let n, let e) = try PrivateKey.generate(.rsa(bits: 2048)).publicKey.parameters else { return }
    let third = DER.sequence([DER.sequence([small, small, small].map(DER.integer))])
    let numbers = [[1], n, e, small, small, small, small, small, small].map(DER.integer)
    #expect(refusal(DER.pem("RSA PRIVATE KEY", DER.sequence(numbers + [third])))?.code == .keyUnsupported)
  }

  /// OpenSSL would compute its public half, for hours.
  @Test func `a DSA key of any length is refused at once`() {
    let long = [1] + Array(repeating: 0xA5, count: 20_000) as [UInt8]
    let kind = DER.sequence([DER.dsa, DER.sequence([long, [3], [2]].map(DER.integer))])
    let pem = DER.pem("PRIVATE KEY", DER.sequence([DER.integer([0]), kind, DER.octets(DER.integer(long))]))
    #expect(refusal(pem)?.code == .keyUnsupported)
  }
}

struct `A passphrase` {
  private func refusal(_ derivation: [UInt8]) -> AuthError? {
    let cipher = DER.sequence([DER.aes256CBC, DER.octets(Array(repeating: 0, count: 16))])
    let scheme = DER.sequence([DER.pbes2, DER.sequence([derivation, cipher])])
    return Self.refusal(DER.sequence([scheme, DER.octets(Array(repeating: 7, count: 64))]))
  }

  private static func refusal(_ key: [UInt8]) -> AuthError? {
    do throws(AuthError) {
      _ = try typed { try PrivateKey(pem: Secret(DER.pem("ENCRYPTED PRIVATE KEY", key)), passphrase: Secret("fuzz")) }
      return nil
    } catch { return error }
  }

  private func pbkdf2(rounds: [UInt8]) -> [UInt8] {
    DER.sequence([DER.pbkdf2, DER.sequence([DER.octets([1, 2, 3, 4]), DER.number(rounds)])])
  }

  private func scrypt(_ n: [UInt8], _ r: [UInt8], _ p: [UInt8]) -> [UInt8] {
    DER.sequence([DER.scrypt, DER.sequence([DER.octets([1, 2, 3, 4])] + [n, r, p].map(DER.number))])
  }

  @Test func `is hashed as often as a key says, up to a limit`() {
    #expect(refusal(pbkdf2(rounds: [1]))?.code == .keyInvalid)
    // 10,000,001; 2³¹ − 1; 2⁷¹; −1.
    for rounds in [[0, 0x98, 0x96, 0x81], [0x7F, 0xFF, 0xFF, 0xFF], [0x7F] + Array(repeating: 0, count: 8), [0xFF]]
      as [[UInt8]]
    {
      #expect(refusal(pbkdf2(rounds: rounds))?.code == .keyUnsupported)
    }
  }

  @Test func `is hashed with scrypt up to the same`() {
    #expect(refusal(scrypt([2], [1], [1]))?.code == .keyInvalid)
    // 2¹⁷ × 1 × 2¹⁷, which OpenSSL would accept; values that overflow; zeros; −1.
    let long = [0x7F] + Array(repeating: 0xFF, count: 7) as [UInt8]
    for (n, r, p) in [
      ([2, 0, 0], [1], [2, 0, 0]), (long, [8], [1]), ([2], long, [1]), ([2], [1], long), (long, long, long),
      ([0], [8], [1]), ([2], [0], [1]), ([2], [8], [0]), ([0xFF], [8], [1]),
    ] as [([UInt8], [UInt8], [UInt8])] {
      #expect(refusal(scrypt(n, r, p))?.code == .keyUnsupported)
    }
  }

  @Test func `opens nothing that is encrypted in an older way`() {
    let old = DER.sequence([DER.pbes1, DER.sequence([DER.octets(Array(repeating: 1, count: 8)), DER.number([1])])])
    #expect(Self.refusal(DER.sequence([old, DER.octets([7])]))?.code == .keyUnsupported)
    #expect(refusal(DER.sequence([DER.dsa, DER.sequence([])]))?.code == .keyUnsupported)
    #expect(refusal(DER.sequence([DER.pbkdf2]))?.code == .keyInvalid)
  }

  /// Created with `openssl pkcs8 -topk8 -passout pass:fuzz`: `-v2prf hmacWithSHA512 -iter 2`, and `-scrypt -scrypt_N
  /// 2`.
  @Test(arguments: [
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHrMFYGCSqGSIb3DQEFDTBJMCgGCSqGSIb3DQEFDDAbBAhf6xSkDWUk4AIBAjAM
    BggqhkiG9w0CCwUAMB0GCWCGSAFlAwQBAgQQpClrIT0yDqmc07sIc2QtggSBkInR
    iApSVtI61B21hk2fO3UbTX0WDaxSNRV/iJJ7mTAT5Q2SHL8nISEa0zGLu2k1yWR9
    X6NoeniiGEXe9uIFLArqwxUFi6GdsXBloycheKyDPrkfxFrhPvhPMEcYx8/prUvj
    Rru4yx1ZnwMXca/wyCD8NJbyXhzhoY1GrFC8gfYsTHxtRHRDVvkaW8fFep94KA==
    -----END ENCRYPTED PRIVATE KEY-----
    """,
    """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHjME4GCSqGSIb3DQEFDTBBMCAGCSsGAQQB2kcECzATBAgMwgGzTBp48AIBAgIB
    AQIBATAdBglghkgBZQMEASoEECKeWVzMJHraTJudLLl9fK8EgZD7ikU6ggS+Qm8p
    4IBiO8XcYIK4HFSbuRylpWVpxFNa2wwemT2Fq/C3JRwlinqwi7W47KWr6/fgi/mq
    ihJYNLPdyuI43fpB4qOPGkzzCAGJU1f5wlpbS06lqFMhUMd4QF/Ko61rdiYdLFEI
    lr7xL6HdnYrrJdSS25WqPe2yFp7aqlNhPywp/H17/V2MykWF+4w=
    -----END ENCRYPTED PRIVATE KEY-----
    """,
  ])
  func `opens what OpenSSL's command has encrypted`(pem: String) throws {
    #expect(try PrivateKey(pem: Secret(pem), passphrase: Secret("fuzz")).type == .ec(.p256))
    #expect(
      TestSupport.refusal { try PrivateKey(pem: Secret(pem), passphrase: Secret("fuz")) }
        == .keyInvalid)
  }
}

/// DER (X.690) for keys that no tool creates.
private enum DER {
  static let dsa = identifier([0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 1])
  static let pbes1 = identifier(pkcs + [12, 1, 3])
  static let pbes2 = identifier(pkcs + [5, 13])
  static let pbkdf2 = identifier(pkcs + [5, 12])
  static let scrypt = identifier([0x2B, 6, 1, 4, 1, 0xDA, 0x47, 4, 11])
  static let aes256CBC = identifier([0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 42])
  private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1]

  static func sequence(_ elements: [[UInt8]]) -> [UInt8] { tagged(0x30, elements.flatMap(\.self)) }
  static func octets(_ bytes: [UInt8]) -> [UInt8] { tagged(4, bytes) }
  /// A non-negative integer.
  static func integer(_ bytes: [UInt8]) -> [UInt8] { number((bytes[0] & 0x80 == 0 ? [] : [0]) + bytes) }
  /// An integer from its bytes, in two's complement.
  static func number(_ bytes: [UInt8]) -> [UInt8] { tagged(2, bytes) }

  static func pem(_ label: String, _ bytes: [UInt8]) -> String {
    "-----BEGIN \(label)-----\n" + lines(Base64.encode(bytes)) + "-----END \(label)-----\n"
  }

  private static func identifier(_ bytes: [UInt8]) -> [UInt8] { tagged(6, bytes) }

  private static func tagged(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let count = bytes.count
    guard count >= 128 else { return [tag, UInt8(count)] + bytes }
    return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + bytes
  }

  private static func lines(_ text: String) -> String {
    var rest = text[...]
    var lines = ""
    while !rest.isEmpty {
      lines += rest.prefix(64) + "\n"
      rest = rest.dropFirst(64)
    }
    return lines
  }
}
