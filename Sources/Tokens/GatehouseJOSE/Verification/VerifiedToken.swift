public import GatehouseBase

/// A token that a verifier has verified: signature, key, algorithm, and every rule of its policy.
///
/// Nothing else makes one. It says what was true when it was verified; see `expiry` for how long that may be used.
/// Claims are built when they are asked for: `token["email"]` builds that one.
public struct VerifiedToken: Sendable {
  /// The header, verified.
  public let header: TokenHeader
  /// What the token says, signed by the key that `header` names.
  public var claims: JSONObject { payload.object }
  let payload: ScannedObject

  init(_ header: TokenHeader, _ payload: ScannedObject) {
    self.header = header
    self.payload = payload
  }
}

extension VerifiedToken: TokenClaims {
  /// A claim by name.
  public subscript(_ name: String) -> JSONValue? { payload[name] }
}

extension VerifiedToken: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("VerifiedToken", self, header) }
  /// The issuer, the subject, the audiences, the times, the algorithm and the key's name: never the token's text or its
  /// signature.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
