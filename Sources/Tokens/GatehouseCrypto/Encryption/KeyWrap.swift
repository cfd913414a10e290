package import GatehouseBase

/// AES key wrap (RFC 3394): one key encrypted with another, with a fixed initial value that reveals any change.
///
/// The wrapping key has 16, 24 or 32 bytes, the wrapped one at least 16 and a multiple of 8. Usable from any thread.
package enum KeyWrap {
  /// The number of bytes by which a wrapped key is longer.
  package static let overhead = 8

  /// The lengths of keys that can be wrapped, in bytes.
  package static let lengths = 16...4096

  /// Wraps a key. Throws `keyInvalid` if one of the two has an invalid length.
  package static func wrap(_ key: SecretBytes, with wrappingKey: SecretBytes) throws(AuthError) -> [UInt8] {
    guard lengths.contains(key.count), key.count % 8 == 0 else {
      throw AuthError(.keyInvalid, "a wrapped key must have at least 16 bytes and a multiple of 8")
    }
    let run = try CipherRun(cipher(for: wrappingKey), .encrypting, key: wrappingKey, nonce: initialValue)
    return try key.withBytes { key throws(AuthError) in try run.process(key) }
  }

  /// Unwraps a key. Throws `decryptionFailed` if anything was changed, or the key was wrapped with another one.
  package static func unwrap(_ wrapped: [UInt8], with wrappingKey: SecretBytes) throws(AuthError) -> SecretBytes {
    let cipher = try cipher(for: wrappingKey)
    guard lengths.contains(wrapped.count - overhead), wrapped.count % 8 == 0 else { throw .undecipherable }
    var key = try CipherRun(cipher, .decrypting, key: wrappingKey, nonce: initialValue).process(wrapped.span)
    return SecretBytes(moving: &key)
  }

  /// RFC 3394 §2.2.3.1.
  private static let initialValue = Array(repeating: UInt8(0xA6), count: 8)

  private static func cipher(for key: SecretBytes) throws(AuthError) -> Fetched {
    switch key.count {
    case 16: .aes128Wrap
    case 24: .aes192Wrap
    case 32: .aes256Wrap
    default: throw AuthError(.keyInvalid, "a wrapping key must have 16, 24 or 32 bytes")
    }
  }
}
