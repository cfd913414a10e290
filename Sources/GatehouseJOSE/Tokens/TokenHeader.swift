public import GatehouseBase

/// A token's header (JOSE header, RFC 7515 §4): which key and algorithm the token asks for.
///
/// A header is a question, never an answer: `jwk`, `jku`, `x5u` and `x5c` do not choose the key.
public struct TokenHeader: Sendable, Hashable {
  /// The algorithm's name, `alg`, known here or not.
  public let algorithm: String
  /// The key's name, `kid`; at most 256 bytes.
  public let keyID: String?
  /// The token's media type, `typ`.
  public let type: String?
  /// All members, in their order.
  public let members: JSONObject

  /// A member of the header.
  public subscript(_ name: String) -> JSONValue? { members[name] }

  /// Of the members that nobody signed only a `kid` counts: a wrong one leads to a wrong key, and no further.
  init(_ members: JSONObject, beside unprotected: JSONObject = [:]) throws(AuthError) {
    try members.refuseSharedNames(with: unprotected)
    guard let algorithm = members["alg"]?.string else {
      throw AuthError(.algorithmRefused, "the token's header names no algorithm")
    }
    self.algorithm = algorithm
    keyID = try Self.text("kid", in: members["kid"] == nil ? unprotected : members)
    type = try Self.text("typ", in: members)
    self.members = members
    guard keyID?.utf8.count ?? 0 <= JWK.longestKeyID else {
      throw AuthError(.headerInvalid, "the token's kid is longer than \(JWK.longestKeyID) bytes")
    }
  }

  private static func text(_ name: String, in members: JSONObject) throws(AuthError) -> String? {
    guard let value = members[name] else { return nil }
    guard let text = value.string else { throw AuthError(.headerInvalid, "the token's \(name) is not a text") }
    return text
  }
}
