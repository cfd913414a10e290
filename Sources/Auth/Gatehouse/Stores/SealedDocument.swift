import Foundation
import GatehouseBase

/// The file store's format for an encrypted document: `{"format":3,"key":"…","sealed":"…"}`. `key` is the key's
/// identifier, and `sealed` is base64 of the nonce, the ciphertext and the tag.
///
/// It is JSON with the next format number, so that an earlier version says that it is too old for this file. It does
/// not take it for damaged.
struct SealedDocument {
  static let format = 3
  /// The maximum length of an encrypted document, in bytes.
  static let limit = (SessionDocument.limit + nonceLength + tagLength + 2) / 3 * 4 + 128

  private static let (nonceLength, tagLength, keyLength) = (12, 16, 16)

  let key: String
  let nonce, ciphertext, tag: [UInt8]

  init(key: String, nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
    (self.key, self.nonce, self.ciphertext, self.tag) = (key, nonce, ciphertext, tag)
  }

  /// - Throws: `.damaged` for bytes that `encoded` cannot have made.
  init(_ bytes: [UInt8]) throws(SessionDocument.Fault) {
    struct Content: Codable { let key, sealed: String }
    guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)),
      content.key.utf8.count == Self.keyLength,
      content.key.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }),
      let sealed = try? Base64.decode(content.sealed), sealed.count >= Self.nonceLength + Self.tagLength
    else { throw .damaged }
    self.init(
      key: content.key, nonce: Array(sealed.prefix(Self.nonceLength)),
      ciphertext: Array(sealed.dropFirst(Self.nonceLength).dropLast(Self.tagLength)),
      tag: Array(sealed.suffix(Self.tagLength)))
  }

  /// The document's bytes.
  var encoded: [UInt8] {
    Self.beginning + Array(#""\#(key)","sealed":"\#(Base64.encode(nonce + ciphertext + tag))"}"#.utf8)
  }

  /// The first bytes of every encrypted document.
  static let beginning = Array(#"{"format":\#(format),"key":"#.utf8)
}
