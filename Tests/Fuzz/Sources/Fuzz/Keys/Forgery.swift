import GatehouseBase
import GatehouseJOSE

/// Signs the fuzzer's input, with a key that only the fuzzer has.
enum Forgery {
  private static let signer = Keys.signer(Keys.secret, .HS256)

  /// A token with a header and a payload as they are given, in whatever bytes.
  static func token(header: [UInt8], payload: [UInt8]) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
    return signed + "." + signature(of: signed)
  }

  /// The signature of a text, in base64url.
  static func signature(of text: String) -> String { signature(of: Array(text.utf8)) }

  static func signature(of bytes: [UInt8]) -> String {
    Base64URL.encode(sure { try signer.signature(of: bytes) })
  }

  /// A text that ends in a star with the signature in its place; others as they are.
  static func completed(_ text: String) -> (text: String, isOurs: Bool) {
    guard text.hasSuffix(".*") else { return (text, false) }
    let signed = String(text.dropLast(2))
    return (signed + "." + signature(of: signed), true)
  }
}
