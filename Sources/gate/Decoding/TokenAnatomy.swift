import GatehouseBase
import GatehouseJOSE

/// The header and claims of a token, which are not verified.
struct TokenAnatomy: Sendable {
  let header: JSONObject
  /// The claims; `nil` if they are encrypted.
  let claims: JSONObject?

  /// Decodes a signed token, a token with `alg: none`, or the header of an encrypted token.
  init(_ token: String) throws(AuthError) {
    if token.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4 {
      header = try Self.encryptedHeader(token, limits: .standard)
      claims = nil
    } else if token.utf8.last == UInt8(ascii: ".") {
      let token = try typed { try UnsecuredToken(token) }
      header = token.header.members
      claims = token.claims
    } else {
      let token = try typed { try UnverifiedToken(token) }
      header = token.header.members
      claims = token.claims
    }
  }

  /// The warning that is shown with the token.
  var warning: String {
    if claims == nil { return "NOTHING WAS VERIFIED: the token is encrypted, and its header may be forged." }
    let unsigned = header["alg"] == "none" ? " It is not even signed (alg: none)." : ""
    return "NOTHING WAS VERIFIED: this token may be forged.\(unsigned)"
  }

  /// For programs: one line. Invisible characters, and characters that would reorder the line, are `\u` escapes.
  var line: String { "\(json)".withHiddenEscapes }

  private var json: JSONObject {
    var json: JSONObject = ["header": .object(header)]
    if let claims { json["claims"] = .object(claims) } else { json["encrypted"] = true }
    json["verified"] = false
    return json
  }

  private static func encryptedHeader(_ token: String, limits: TokenLimits) throws(AuthError) -> JSONObject {
    let bytes = Array(token.utf8)
    let header = bytes.prefix { $0 != UInt8(ascii: ".") }
    guard bytes.count <= limits.token, header.count <= limits.header else {
      throw AuthError(.tokenTooLarge, "the token or its header is too long")
    }
    return try JSONObject(reading: Base64URL.bytes(of: Array(header)), limits: limits.json)
  }
}
