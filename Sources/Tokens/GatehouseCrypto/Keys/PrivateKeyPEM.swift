import CGatehouseOpenSSL
public import GatehouseBase

extension PrivateKey {
  /// The number of PBKDF2 rounds (HMAC-SHA256) for the passphrase when an encrypted key is written.
  public static let passphraseRounds = 600_000

  /// Reads one `PRIVATE KEY` (PKCS#8), `RSA PRIVATE KEY` (PKCS#1) or `EC PRIVATE KEY` (SEC 1) block, or with a
  /// passphrase one `ENCRYPTED PRIVATE KEY` block (PKCS#8, PBES2).
  /// Throws `keyUnsupported` for a key whose passphrase needs more than ten million rounds, or about as much time with
  /// scrypt. Otherwise the author of the file could keep this thread busy for days.
  public init(pem text: Secret, passphrase: Secret? = nil) throws {
    SlowWork.begins(.privateKey)
    let label = try PEM.label(of: text.revealed)
    switch (label, passphrase) {
    case ("PRIVATE KEY", nil): try self.init(checking: PKCS8.key(in: text.revealed))
    case ("RSA PRIVATE KEY", nil), ("EC PRIVATE KEY", nil):
      // The passphrase callback returns none: OpenSSL's own would ask the terminal.
      try self.init(
        checking: PEM.key(in: text.revealed) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
    case ("ENCRYPTED PRIVATE KEY", let passphrase?):
      try self.init(checking: PKCS8.key(in: text.revealed, passphrase: Self.bytes(of: passphrase)))
    case ("ENCRYPTED PRIVATE KEY", nil):
      throw AuthError(.keyUnsupported, "the key is encrypted: pass its passphrase")
    case ("PRIVATE KEY", _), ("RSA PRIVATE KEY", _), ("EC PRIVATE KEY", _):
      throw AuthError(.keyInvalid, "the key is not encrypted: do not pass a passphrase")
    case ("PUBLIC KEY", _): throw AuthError(.keyInvalid, "expected a private key, found a public key")
    default: throw AuthError(.keyUnsupported, "expected a PRIVATE KEY block, found \(label)")
    }
  }

  /// Reads a private key as `init(pem: Secret)` does.
  public init(pem text: String) throws { try self.init(pem: Secret(text)) }

  /// The key as a `PRIVATE KEY` block (PKCS#8), not encrypted.
  public func pem() throws -> Secret {
    Secret(try PEM.text { unsafe PEM_write_bio_PKCS8PrivateKey($0, key.raw, nil, nil, 0, nil, nil) })
  }

  /// The key as an `ENCRYPTED PRIVATE KEY` block (PKCS#8): AES-256-CBC under PBKDF2 with `passphraseRounds`. Slow.
  public func pem(passphrase: Secret) throws -> Secret {
    SlowWork.begins(.passwordHash)
    let phrase = try Self.bytes(of: passphrase)
    // `unsafe`: C; both objects are freed once, by their owners, and the passphrase is lent for the call.
    let plain = try Owned(unsafe EVP_PKEY2PKCS8(key.raw), "writing a key") { unsafe PKCS8_PRIV_KEY_INFO_free($0) }
    let cipher = try unsafe Fetched.aes256CBC.get()
    let made: OpaquePointer? = unsafe phrase.withBytes { phrase in
      unsafe phrase.withUnsafeBytes { phrase in
        let start = unsafe phrase.baseAddress?.assumingMemoryBound(to: CChar.self)
        let rounds = Int32(Self.passphraseRounds)
        return unsafe PKCS8_encrypt(-1, cipher, start, Int32(phrase.count), nil, 0, rounds, plain.raw)
      }
    }
    let encrypted = try Owned(made, "encrypting a key") { unsafe X509_SIG_free($0) }
    return Secret(try PEM.text { unsafe PEM_write_bio_PKCS8($0, encrypted.raw) })
  }

  /// The bytes of a passphrase that other tools also accept: a zero byte would end it there.
  private static func bytes(of passphrase: Secret) throws(AuthError) -> SecretBytes {
    var bytes = Array(passphrase.revealed.utf8)
    guard !bytes.isEmpty, bytes.count <= 1024, !bytes.contains(0) else {
      throw AuthError(.invalidArgument, "a passphrase must have 1 to 1024 bytes and no zero byte")
    }
    return SecretBytes(moving: &bytes)
  }
}
