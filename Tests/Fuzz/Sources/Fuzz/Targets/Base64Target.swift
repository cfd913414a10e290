import GatehouseBase

/// Base64 and base64url: one spelling for all bytes, and the one that a slow reader finds right.
enum Base64Target: Target {
  static let name = "base64"
  static let longest = 4 << 10

  static func check(_ input: [UInt8]) {
    let spelled = Base64URL.encodedBytes(input)
    require(spelled.count == Base64URL.encodedCount(input.count), "the count is foretold")
    require(attempt { try Base64URL.decode(spelled) } == input, "what is encoded is decoded")
    let padded = Array(Base64.encode(input).utf8)
    require(attempt { try Base64.decode(padded) } == input, "what is encoded is decoded")

    let decoded = attempt { try Base64URL.decode(input) }
    require(decoded == PlainBase64.url.decode(input), "both readers of base64url agree")
    if let decoded { require(Base64URL.encodedBytes(decoded) == input, "base64url has one spelling") }

    let classic = attempt { try Base64.decode(input) }
    require(classic == PlainBase64.padded.decode(input), "both readers of base64 agree")
    if let classic { require(Array(Base64.encode(classic).utf8) == input, "base64 has one spelling") }
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    ["", "AA", "AAA", "AAAA", "-_-_", "QQ==", "QUI=", "QR", "+/+/", "Zm9vYmFy"].map { Array($0.utf8) }
      + [[0], [0, 255], [255, 255, 255]]
      + harvest.tokens.prefix(50).map { Array($0.prefix { $0 != "." }.utf8) }
  }
}
