import GatehouseBase

/// The offsets of the five parts of a compact JWE (RFC 7516 §7.1). Nothing is decoded or checked yet.
struct CompactJWE {
  let header: Range<Int>
  let encryptedKey: Range<Int>
  let nonce: Range<Int>
  let ciphertext: Range<Int>
  let tag: Range<Int>

  init(_ text: Span<UInt8>, limits: TokenLimits) throws(AuthError) {
    guard text.count <= limits.token else {
      throw AuthError(.tokenTooLarge, "the message is longer than \(limits.token) bytes")
    }
    // Stops after one dot too many: a message of dots is not worth the time.
    var parts: [Range<Int>] = []
    var start = 0
    while parts.count < 5, let dot = text.firstIndex(of: UInt8(ascii: "."), from: start) {
      parts.append(start..<dot)
      start = dot + 1
    }
    guard parts.count == 4, !parts[0].isEmpty else {
      throw AuthError(
        .tokenMalformed, "invalid compact JWE: expected five parts separated by four dots")
    }
    guard parts[0].count <= limits.header else {
      throw AuthError(.tokenTooLarge, "the message's header is longer than \(limits.header) bytes")
    }
    header = parts[0]
    encryptedKey = parts[1]
    nonce = parts[2]
    ciphertext = parts[3]
    tag = start..<text.count
  }
}

// Parts that do not have exactly the size that the algorithms require are rejected before they are decoded.
extension ContentEncryption {
  /// Checks the encrypted key, in characters of base64url.
  static func check(encryptedKey count: Int, is length: Int) throws(AuthError) {
    guard count == Base64URL.encodedCount(length) else {
      throw AuthError(.tokenMalformed, "the encrypted key must have \(length) bytes with this algorithm")
    }
  }

  /// Checks the initialization vector and the tag, in characters of base64url.
  func check(nonce: Int, tag: Int) throws(AuthError) {
    guard nonce == Base64URL.encodedCount(cipher.nonceLength) else {
      throw AuthError(.tokenMalformed, "the initialization vector has the wrong length")
    }
    guard tag == Base64URL.encodedCount(cipher.tagLength) else {
      throw AuthError(.tokenMalformed, "the authentication tag has the wrong length")
    }
  }
}
