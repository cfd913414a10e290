public import GatehouseBase

/// A token that a verifier has verified: signature, key, algorithm, and every rule of its policy.
///
/// Nothing else makes one. It says what was true when it was verified; see `expiry` for how long that may be used.
/// Claims are built when they are asked for: `token["email"]` builds that one.
public struct VerifiedToken: Sendable {
  public var header: TokenHeader { recognised.header }
  /// What the token says, signed by the key that `header` names.
  public var claims: JSONObject { payload.object }
  let recognised: RecognisedHeader
  let payload: ScannedObject

  init(_ recognised: RecognisedHeader, _ payload: ScannedObject) {
    self.recognised = recognised
    self.payload = payload
  }
}

extension VerifiedToken: TokenClaims {
  public subscript(_ name: String) -> JSONValue? { payload[name] }
}
