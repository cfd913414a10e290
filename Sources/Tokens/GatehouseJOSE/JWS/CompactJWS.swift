import GatehouseBase

/// The offsets of the three parts of a compact JWS (RFC 7515 §7.1). Nothing is decoded or checked yet.
struct CompactJWS {
  let header: Range<Int>
  let payload: Range<Int>
  let signature: Range<Int>

  /// The signed part: header and payload as they were spelled.
  var signed: Range<Int> { 0..<payload.upperBound }

  init(_ text: Span<UInt8>, limits: TokenLimits) throws(AuthError) {
    guard text.count <= limits.token else {
      throw AuthError(.tokenTooLarge, "the token is longer than \(limits.token) bytes")
    }
    // Stops after one dot too many: a token of dots is not worth the time.
    let dot = UInt8(ascii: ".")
    guard let first = text.firstIndex(of: dot), let second = text.firstIndex(of: dot, from: first + 1),
      text.firstIndex(of: dot, from: second + 1) == nil, first > 0
    else {
      throw AuthError(.tokenMalformed, "invalid compact JWS: expected three parts separated by two dots")
    }
    guard second + 1 < text.count else {
      throw AuthError(.tokenMalformed, "the token is not signed: nothing follows its second dot")
    }
    header = 0..<first
    payload = first + 1..<second
    signature = second + 1..<text.count
    guard header.count <= limits.header else {
      throw AuthError(.tokenTooLarge, "the token's header is longer than \(limits.header) bytes")
    }
    guard signature.count <= Self.maximumSignatureLength else {
      throw AuthError(.tokenTooLarge, "the signature is longer than any supported key makes")
    }
  }

  /// The length for an RSA key of 8192 bits, in base64url characters.
  static let maximumSignatureLength = 1366
}
