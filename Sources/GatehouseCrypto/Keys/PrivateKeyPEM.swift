import CGatehouseOpenSSL
public import GatehouseBase

extension PrivateKey {
  /// How often the passphrase is hashed (PBKDF2, HMAC-SHA256) when an encrypted key is written.
  public static let passphraseRounds = 600_000

  /// Reads one block of `PRIVATE KEY` (PKCS#8), `RSA PRIVATE KEY` (PKCS#1) or `EC PRIVATE KEY` (SEC 1), or with a
  /// passphrase one of `ENCRYPTED PRIVATE KEY` (PKCS#8).
  public init(pem text: Secret, passphrase: Secret? = nil) throws(AuthError) {
    SlowWork.begins(.privateKey)
    switch try PEM.label(of: text.revealed) {
    case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
      guard passphrase == nil else {
        throw AuthError(.keyInvalid, "a passphrase was given, and the key is not encrypted")
      }
    case "ENCRYPTED PRIVATE KEY":
      guard passphrase != nil else { throw AuthError(.keyUnsupported, "the key is encrypted: give its passphrase") }
    case "PUBLIC KEY": throw AuthError(.keyInvalid, "this is a public key where a private one is expected")
    case let label: throw AuthError(.keyUnsupported, "a PEM block of PRIVATE KEY was expected, not \(label)")
    }
    // Without a passphrase the function that would ask for one gives none: OpenSSL's own would ask the terminal.
    guard let passphrase else {
      try self.init(
        checking: PEM.key(in: text.revealed) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
      return
    }
    let phrase = try Self.bytes(of: passphrase)
    try self.init(
      checking: PEM.key(in: text.revealed) { reader in
        // `unsafe`: C; the phrase ends in a zero, and is lent for the call.
        unsafe phrase.withBytes { phrase in
          unsafe phrase.withUnsafeBytes {
            unsafe PEM_read_bio_PrivateKey(reader, nil, nil, UnsafeMutableRawPointer(mutating: $0.baseAddress))
          }
        }
      })
  }

  /// Reads a private key as `init(pem: Secret)` does.
  public init(pem text: String) throws(AuthError) { try self.init(pem: Secret(text)) }

  /// The key as a `PRIVATE KEY` block (PKCS#8), not encrypted.
  public func pem() throws(AuthError) -> Secret {
    Secret(try PEM.text { unsafe PEM_write_bio_PKCS8PrivateKey($0, key.raw, nil, nil, 0, nil, nil) })
  }

  /// The key as an `ENCRYPTED PRIVATE KEY` block (PKCS#8): AES-256-CBC under PBKDF2 with `passphraseRounds`. Slow.
  public func pem(passphrase: Secret) throws(AuthError) -> Secret {
    SlowWork.begins(.passwordHash)
    let phrase = try Self.bytes(of: passphrase)
    // `unsafe`: C; both objects are freed once, by their owners, and the phrase is lent for the call.
    let plain = try Owned(unsafe EVP_PKEY2PKCS8(key.raw), "writing a key") { unsafe PKCS8_PRIV_KEY_INFO_free($0) }
    let cipher = try unsafe Fetched.aes256CBC.get()
    let made: OpaquePointer? = unsafe phrase.withBytes { phrase in
      unsafe phrase.withUnsafeBytes { phrase in
        let start = unsafe phrase.baseAddress?.assumingMemoryBound(to: CChar.self)
        let rounds = Int32(Self.passphraseRounds)
        return unsafe PKCS8_encrypt(-1, cipher, start, Int32(phrase.count - 1), nil, 0, rounds, plain.raw)
      }
    }
    let encrypted = try Owned(made, "encrypting a key") { unsafe X509_SIG_free($0) }
    return Secret(try PEM.text { unsafe PEM_write_bio_PKCS8($0, encrypted.raw) })
  }

  /// A passphrase as C takes it: with a zero at its end and none before.
  private static func bytes(of passphrase: Secret) throws(AuthError) -> SecretBytes {
    var bytes = Array(passphrase.revealed.utf8)
    guard !bytes.isEmpty, bytes.count <= 1024, !bytes.contains(0) else {
      throw AuthError(.invalidArgument, "a passphrase has 1 to 1024 bytes, and no zero among them")
    }
    bytes.append(0)
    return SecretBytes(moving: &bytes)
  }
}
