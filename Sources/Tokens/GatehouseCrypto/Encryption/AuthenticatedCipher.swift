package import GatehouseBase

/// Authenticated encryption (AEAD).
///
/// Additional data stays readable and is also authenticated. A nonce must never be used twice with one key: `seal`
/// makes a random one each time, which is safe for up to 2³² messages with one key. Usable from any thread.
package enum AuthenticatedCipher: Sendable, Hashable, CaseIterable {
  /// AES in Galois counter mode (NIST SP 800-38D) with a key of 16 bytes.
  case aes128GCM
  /// AES in Galois counter mode with a key of 24 bytes.
  case aes192GCM
  /// AES in Galois counter mode with a key of 32 bytes.
  case aes256GCM
  /// AES-128 in CBC mode, then HMAC-SHA256 cut to 16 bytes (RFC 7518 §5.2.3).
  case aes128CBCHMACSHA256
  /// AES-192 in CBC mode, then HMAC-SHA384 cut to 24 bytes (RFC 7518 §5.2.4).
  case aes192CBCHMACSHA384
  /// AES-256 in CBC mode, then HMAC-SHA512 cut to 32 bytes (RFC 7518 §5.2.5).
  case aes256CBCHMACSHA512

  /// The length of a key in bytes. With HMAC, both keys, the HMAC key first.
  package var keyLength: Int {
    switch self {
    case .aes128GCM: 16
    case .aes192GCM: 24
    case .aes256GCM, .aes128CBCHMACSHA256: 32
    case .aes192CBCHMACSHA384: 48
    case .aes256CBCHMACSHA512: 64
    }
  }

  /// The length of a nonce in bytes. JOSE calls it the initialization vector.
  package var nonceLength: Int {
    switch self {
    case .aes128GCM, .aes192GCM, .aes256GCM: 12
    case .aes128CBCHMACSHA256, .aes192CBCHMACSHA384, .aes256CBCHMACSHA512: 16
    }
  }

  /// The length of a tag in bytes.
  package var tagLength: Int {
    switch self {
    case .aes128GCM, .aes192GCM, .aes256GCM, .aes128CBCHMACSHA256: 16
    case .aes192CBCHMACSHA384: 24
    case .aes256CBCHMACSHA512: 32
    }
  }

  /// The maximum length of a message, in bytes.
  package static let maximumMessageLength = 1 << 30

  /// Makes a random key.
  package func makeKey() throws(AuthError) -> SecretBytes {
    var bytes = try RandomBytes.bytes(keyLength)
    return SecretBytes(moving: &bytes)
  }

  /// Encrypts a message with a new random nonce.
  ///
  /// Throws `keyInvalid` for a key of another length, and `invalidArgument` if the message or the data is longer than
  /// `maximumMessageLength`.
  package func seal(
    _ message: [UInt8], authenticating data: [UInt8] = [], key: SecretBytes
  ) throws(AuthError) -> SealedMessage {
    try seal(message, authenticating: data, key: key, nonce: RandomBytes.bytes(nonceLength))
  }

  /// Encrypts with a given nonce: for the examples of the RFCs.
  package func seal(
    _ message: [UInt8], authenticating data: [UInt8], key: SecretBytes, nonce: [UInt8]
  ) throws(AuthError) -> SealedMessage {
    try checkKey(key)
    guard nonce.count == nonceLength else {
      throw AuthError(.invalidArgument, "the nonce must have \(nonceLength) bytes")
    }
    guard max(message.count, data.count) <= Self.maximumMessageLength else {
      throw AuthError(.invalidArgument, "the message is longer than \(Self.maximumMessageLength) bytes")
    }
    return switch self {
    case .aes128GCM, .aes192GCM, .aes256GCM:
      try AESGCM.seal(message, authenticating: data, key: key, nonce: nonce)
    case .aes128CBCHMACSHA256, .aes192CBCHMACSHA384, .aes256CBCHMACSHA512:
      try AESCBCHMAC(key).seal(message, authenticating: data, nonce: nonce, tagLength: tagLength)
    }
  }

  /// Decrypts a message, if neither it nor the data was changed.
  ///
  /// Throws `decryptionFailed` in every other case, without saying what was wrong: a tag or nonce of another length,
  /// another key, changed bytes. Nothing is decrypted before the tag is verified, or else it is overwritten. Throws
  /// `keyInvalid` for a key of another length.
  package func open(
    _ sealed: SealedMessage, authenticating data: [UInt8] = [], key: SecretBytes
  ) throws(AuthError) -> [UInt8] {
    try checkKey(key)
    guard sealed.nonce.count == nonceLength, sealed.tag.count == tagLength,
      max(sealed.ciphertext.count, data.count) <= Self.maximumMessageLength
    else { throw .undecipherable }
    return switch self {
    case .aes128GCM, .aes192GCM, .aes256GCM: try AESGCM.open(sealed, authenticating: data, key: key)
    case .aes128CBCHMACSHA256, .aes192CBCHMACSHA384, .aes256CBCHMACSHA512:
      try AESCBCHMAC(key).open(sealed, authenticating: data)
    }
  }

  private func checkKey(_ key: SecretBytes) throws(AuthError) {
    guard key.count == keyLength else {
      throw AuthError(.keyInvalid, "this cipher needs a key of \(keyLength) bytes; this one has \(key.count)")
    }
  }
}
