import GatehouseBase
import GatehouseCrypto

/// The header members of a key that is encrypted in Galois counter mode (RFC 7518 §4.7.1).
struct GCMKeyWrapping {
  let nonce: [UInt8]
  let tag: [UInt8]

  init(nonce: [UInt8], tag: [UInt8]) {
    self.nonce = nonce
    self.tag = tag
  }

  /// Reads `iv` and `tag`. Throws `headerInvalid` unless they have the cipher's lengths.
  init(_ header: JSONObject, _ cipher: AuthenticatedCipher) throws(AuthError) {
    nonce = try Self.bytes("iv", cipher.nonceLength, in: header)
    tag = try Self.bytes("tag", cipher.tagLength, in: header)
  }

  var members: JSONObject {
    ["iv": .string(Base64URL.encode(nonce)), "tag": .string(Base64URL.encode(tag))]
  }

  func sealed(_ encryptedKey: [UInt8]) -> SealedMessage {
    SealedMessage(nonce: nonce, ciphertext: encryptedKey, tag: tag)
  }

  private static func bytes(_ name: String, _ length: Int, in header: JSONObject) throws(AuthError) -> [UInt8] {
    guard let text = header[name]?.string, text.utf8.count == Base64URL.encodedCount(length) else {
      throw AuthError(.headerInvalid, "`\(name)` must be a string of \(length) bytes in base64url")
    }
    return try Base64URL.bytes(of: text)
  }
}
