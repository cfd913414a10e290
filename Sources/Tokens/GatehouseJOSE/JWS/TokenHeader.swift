public import GatehouseBase

/// A token's header (JOSE header, RFC 7515 §4): the key and the algorithm that the token asks for.
///
/// A header only asks: `jwk`, `jku`, `x5u` and `x5c` never choose the key.
public struct TokenHeader: Sendable {
  /// The algorithm's name, `alg`, whether supported or not.
  public var algorithm: String { contents.algorithm }
  /// The key ID, `kid`; at most 256 bytes.
  public var keyID: String? { contents.keyID }
  /// The token's media type, `typ`.
  public var type: String? { contents.type }
  /// All members, in their order.
  public var members: JSONObject { contents.members }

  /// A member of the header.
  public subscript(_ name: String) -> JSONValue? { members[name] }

  private let contents: Contents

  /// One reference, because every verified token includes its header.
  private final class Contents: Sendable {
    let algorithm: String
    let keyID: String?
    let type: String?
    let members: JSONObject

    init(algorithm: String, keyID: String?, type: String?, members: JSONObject) {
      self.algorithm = algorithm
      self.keyID = keyID
      self.type = type
      self.members = members
    }
  }

  /// Of the unprotected members only `kid` is used: a wrong one leads to a wrong key, with which verification fails.
  init(_ members: JSONObject, beside unprotected: JSONObject = [:]) throws(AuthError) {
    try members.refuseSharedNames(with: unprotected)
    guard let algorithm = members["alg"]?.string else {
      throw AuthError(.algorithmRefused, "`alg` \(members["alg"] == nil ? "is missing" : "must be a string")")
    }
    let keyID = try Self.text("kid", in: members["kid"] == nil ? unprotected : members)
    guard keyID?.utf8.count ?? 0 <= JWK.maximumKeyIDLength else {
      throw AuthError(.headerInvalid, "`kid` is longer than \(JWK.maximumKeyIDLength) bytes")
    }
    contents = Contents(algorithm: algorithm, keyID: keyID, type: try Self.text("typ", in: members), members: members)
  }

  /// The header of an encrypted message in JSON: the protected members, and an algorithm and a key ID that may come
  /// from unprotected ones.
  init(protected members: JSONObject, of whole: JSONObject) throws(AuthError) {
    let all = try TokenHeader(whole)
    contents = Contents(
      algorithm: all.algorithm, keyID: all.keyID, type: try Self.text("typ", in: members), members: members)
  }

  private static func text(_ name: String, in members: JSONObject) throws(AuthError) -> String? {
    guard let value = members[name] else { return nil }
    guard let text = value.string else { throw AuthError(.headerInvalid, "`\(name)` must be a string") }
    return text
  }
}

extension TokenHeader: Hashable {
  /// Whether both have the same members and key ID.
  public static func == (left: Self, right: Self) -> Bool {
    left.members == right.members && left.keyID.map { Array($0.utf8) } == right.keyID.map { Array($0.utf8) }
  }

  /// Hashes the members.
  public func hash(into hasher: inout Hasher) { members.hash(into: &hasher) }
}

extension TokenHeader: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary {
    TokenSummary("TokenHeader", algorithm: algorithm, keyID: keyID, mediaType: type)
  }
  /// The algorithm, the key ID and the type.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}

extension TokenSummary {
  /// Makes a summary of a token with this header.
  init(_ type: String, _ claims: some TokenClaims, _ header: TokenHeader) {
    self.init(type, claims, algorithm: header.algorithm, keyID: header.keyID)
  }

  /// Makes a summary of a message, with only the length of its content.
  init(_ type: String, _ content: String, _ length: Int, _ header: TokenHeader) {
    self.init(
      type, [(content, "\(length) bytes")], algorithm: header.algorithm, keyID: header.keyID, mediaType: header.type)
  }
}
