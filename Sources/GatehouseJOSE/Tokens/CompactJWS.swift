import GatehouseBase

/// A token taken apart and nothing more: three parts, a header that is read, and nothing that is believed.
struct CompactJWS: Sendable {
  let header: TokenHeader
  let payload: [UInt8]
  let signature: [UInt8]
  /// What was signed: header and payload as they were spelled.
  let signedBytes: [UInt8]

  init(_ token: String, limits: TokenLimits) throws(AuthError) {
    guard token.utf8.count <= limits.token else {
      throw AuthError(.tokenTooLarge, "the token is longer than \(limits.token) bytes")
    }
    let bytes = Array(token.utf8)
    // One part more than there may be, and no further: a token of dots is not worth the memory.
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty else {
      throw AuthError(.tokenMalformed, "a token has a header, a payload and a signature, with two dots between")
    }
    guard parts[0].count <= limits.header else {
      throw AuthError(.tokenTooLarge, "the token's header is longer than \(limits.header) bytes")
    }
    guard parts[2].count <= Self.longestSignature else {
      throw AuthError(.tokenTooLarge, "the token's signature is longer than any key's")
    }
    header = try TokenHeader(JSONObject(parsing: Base64URL.decode(parts[0])))
    payload = try Base64URL.decode(parts[1])
    signature = try Base64URL.decode(parts[2])
    signedBytes = Array(bytes[..<parts[1].endIndex])
  }

  /// That of an RSA key of 8192 bits, in characters of base64url.
  private static let longestSignature = 1366
}
