import GatehouseBase
import GatehouseCrypto

extension TokenVerifier {
  /// A digest of all that decides what this verifier accepts: keys and rules, but not the clock.
  ///
  /// Each part is written as JSON, so that no two different verifiers write the same text.
  func identity() throws(AuthError) -> [UInt8] {
    var keys: [JSONValue] = []
    for key in self.keys.keys {
      keys.append(.array([.string(try key.thumbprint()), key.json]))
    }
    let rules: JSONValue = ["keys": .array(keys), "policy": policy.json]
    return try HashAlgorithm.sha256.hash(rules.serialized())
  }
}

extension VerificationPolicy {
  /// Every rule of the policy. A rule that is added to it is added here.
  fileprivate var json: JSONValue {
    let type: JSONValue =
      switch type {
      case .any: ["any"]
      case .ifPresent(let name): ["ifPresent", .string(name)]
      case .required(let name): ["required", .string(name)]
      }
    return [
      "algorithms": .array(algorithms.map(\.rawValue).sorted().map(JSONValue.string)),
      "issuer": .optional(issuer), "audience": .optional(audience), "authorizedParty": .optional(authorizedParty),
      "type": type, "requiredClaims": .array(requiredClaims.map(JSONValue.string)),
      "requiresKeyID": .bool(requiresKeyID), "requiresUserID": .bool(requiresUserID), "checksTime": .bool(checksTime),
      "maximumLifetime": .optional(maximumLifetime), "maximumAge": .optional(maximumAge), "leeway": .optional(leeway),
      "limits": [
        .number(JSONNumber(limits.token)), .number(JSONNumber(limits.header)), .number(JSONNumber(limits.json.bytes)),
        .number(JSONNumber(limits.json.depth)), .number(JSONNumber(limits.json.members)),
        .number(JSONNumber(limits.json.nameBytes)),
      ],
    ]
  }
}

extension JSONValue {
  fileprivate static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  fileprivate static func optional(_ number: Double?) -> JSONValue {
    number.flatMap(JSONNumber.init).map(JSONValue.number) ?? .null
  }
}
