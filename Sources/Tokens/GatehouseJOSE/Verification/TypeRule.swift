import GatehouseBase
import GatehouseHTTP

/// The required `typ` of a header. Case and a leading `application/` are ignored (RFC 7515 §4.1.9).
public enum TypeRule: Sendable, Hashable {
  /// Any type, or none.
  case any
  /// This type, or none.
  case ifPresent(String)
  /// This type.
  case required(String)

  /// The type of access tokens (RFC 9068): an ID token is not accepted as one.
  public static let accessToken = TypeRule.required("at+jwt")
  /// The type of proofs of possession (RFC 9449).
  public static let dpopProof = TypeRule.required("dpop+jwt")

  /// Whether the rule is for `JWT`, and not for a type that a policy names, or for any.
  var namesOrdinaryToken: Bool {
    switch self {
    case .any: false
    case .ifPresent(let wanted), .required(let wanted): wanted.isMediaType("JWT")
    }
  }

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
  /// Checks `typ`, and that the token does not contain another one.
  func checkType(_ header: TokenHeader) throws(AuthError) {
    try type.check(header.type)
    guard let content = header["cty"] else { return }
    guard let content = content.string else { throw AuthError(.headerInvalid, "`cty` must be a string") }
    guard !content.isMediaType("JWT") else { throw AuthError(.typeMismatch, "`cty` is JWT: nested tokens are refused") }
  }
}

extension String {
  /// Whether two names are the same media type.
  func isMediaType(_ other: String) -> Bool { mediaType == other.mediaType }

  private var mediaType: [UInt8] {
    let lower = utf8.map(\.lowercased)
    let prefix = Array("application/".utf8)
    return lower.starts(with: prefix) ? Array(lower.dropFirst(prefix.count)) : lower
  }
}
