public import GatehouseBase

/// A token that a verifier has verified: signature, key, algorithm, and every rule of its policy.
///
/// It cannot be made in another way, except by an `AdminAuth` that was told to use an emulator. It states what was true
/// when it was verified; see `expiry` for how long it may be used. Claims are parsed on demand: `token["email"]` parses
/// only that one.
public struct VerifiedToken: Sendable {
  /// The header, verified.
  public let header: TokenHeader
  /// The claims of the token, signed by the key that `header` names.
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
  /// The issuer, the subject, the audiences, the times, the algorithm and the key ID: never the token's text or its
  /// signature.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
