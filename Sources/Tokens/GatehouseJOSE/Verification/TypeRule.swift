import GatehouseBase
import GatehouseHTTP

/// What a header's `typ` must be. Case does not count, nor does `application/` before it (RFC 7515 §4.1.9).
public enum TypeRule: Sendable, Hashable {
  /// Anything, or nothing.
  case any
  /// This, where the header has one.
  case ifPresent(String)
  /// This.
  case required(String)

  /// An access token (RFC 9068): no ID token passes for one.
  public static let accessToken = TypeRule.required("at+jwt")
  /// A proof of possession (RFC 9449).
  public static let dpopProof = TypeRule.required("dpop+jwt")

  func check(_ found: String?) throws(AuthError) {
    switch (self, found) {
    case (.any, _), (.ifPresent, nil): break
    case (.ifPresent(let wanted), let found?), (.required(let wanted), let found?):
      guard found.isMediaType(wanted) else {
        throw AuthError(.typeMismatch, "`typ` is not \(wanted)")
      }
    case (.required(let wanted), nil):
      throw AuthError(.typeMismatch, "`typ` is missing; expected \(wanted)")
    }
  }
}

extension VerificationPolicy {
  /// Checks `typ`, and that the token is not an envelope for another one.
  func checkType(_ header: TokenHeader) throws(AuthError) {
    try type.check(header.type)
    guard let content = header["cty"] else { return }
    guard let content = content.string else { throw AuthError(.headerInvalid, "`cty` must be a string") }
    guard !content.isMediaType("JWT") else { throw AuthError(.typeMismatch, "`cty` is JWT: nested tokens are refused") }
  }
}

extension String {
  /// Whether two names are those of one media type.
  func isMediaType(_ other: String) -> Bool { mediaType == other.mediaType }

  private var mediaType: [UInt8] {
    let lower = utf8.map(\.lowercased)
    let prefix = Array("application/".utf8)
    return lower.starts(with: prefix) ? Array(lower.dropFirst(prefix.count)) : lower
  }
}
