import CGatehouseOpenSSL
import GatehouseBase

/// Private keys in PKCS #8 form (RFC 5958), and the checks before OpenSSL works with them.
enum PKCS8 {
  /// Reads the key in a `PRIVATE KEY` block, also one with its public half.
  static func key(in text: String) throws(AuthError) -> PKey {
    if let both = try OneAsymmetricKey.read(text) {
      // `unsafe`: C; the object is freed by its owner, and the bytes are lent for the call.
      let info = unsafe both.pkcs8.withBytes { bytes in
        unsafe bytes.withUnsafeBufferPointer { buffer in
          var next = buffer.baseAddress
          return unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &next, buffer.count)
        }
      }
      let key = try key(info, "reading a PEM file")
      try both.check(key)
      return key
    }
    let reader = try PEM.reader(of: text)
    // `unsafe`: C; the object is freed by its owner. The passphrase callback returns none.
    let info = unsafe PEM_read_bio_PKCS8_PRIV_KEY_INFO(reader.raw, nil, { _, _, _, _ in -1 }, nil)
    return try key(info, "reading a PEM file")
  }

  /// Decrypts an `ENCRYPTED PRIVATE KEY` block and reads the key in it.
  static func key(in text: String, passphrase: borrowing SecretBytes) throws(AuthError) -> PKey {
    let reader = try PEM.reader(of: text)
    // `unsafe`: C; both objects are freed by their owners, and the passphrase is lent for the call.
    guard let read = unsafe PEM_read_bio_PKCS8(reader.raw, nil, { _, _, _, _ in -1 }, nil) else {
      throw OpenSSL.failure("reading a PEM file", code: .keyInvalid)
    }
    let encrypted = try Owned(read, "reading a PEM file") { unsafe X509_SIG_free($0) }
    try PassphraseCost.check(encrypted)
    let info: OpaquePointer? = unsafe passphrase.withBytes { phrase in
      unsafe phrase.withUnsafeBytes { phrase in
        let start = unsafe phrase.baseAddress?.assumingMemoryBound(to: CChar.self)
        return unsafe PKCS8_decrypt(encrypted.raw, start, Int32(phrase.count))
      }
    }
    return try key(info, "decrypting a key")
  }

  /// Takes ownership of a parsed key, and decodes it if its kind is supported. For a DSA key OpenSSL would compute the
  /// public half at once, which takes hours if its numbers are long.
  @safe private static func key(_ info: OpaquePointer?, _ what: StaticString) throws(AuthError) -> PKey {
    guard let info = unsafe info else { throw OpenSSL.failure(what, code: .keyInvalid) }
    // `unsafe`: C; both objects are freed by their owners, and `kind` belongs to `owned`.
    let owned = try Owned(info, what) { unsafe PKCS8_PRIV_KEY_INFO_free($0) }
    var kind: OpaquePointer?
    try OpenSSL.check(unsafe PKCS8_pkey_get0(&kind, nil, nil, nil, owned.raw), what)
    guard kinds.contains(unsafe OBJ_obj2nid(kind)) else {
      throw AuthError(.keyUnsupported, "unsupported key type")
    }
    let key = try PKey(unsafe EVP_PKCS82PKEY_ex(owned.raw, OpenSSL.context, nil), what)
    // A decoder that succeeds on its second try leaves the first one's errors behind.
    OpenSSL.drain()
    return key
  }

  private static let kinds: Set<Int32> = [
    NID_rsaEncryption, NID_X9_62_id_ecPublicKey, NID_X25519, NID_X448, NID_ED25519, NID_ED448,
  ]
}
