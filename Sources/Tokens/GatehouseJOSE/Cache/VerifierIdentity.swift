import GatehouseBase
import GatehouseCrypto

extension TokenVerifier {
  /// A digest of everything that determines what this verifier accepts: keys and rules, but not the clock. It does not
  /// depend on the order of the keys.
  ///
  /// Each part is written as JSON, so that no two different verifiers write the same text.
  public var identity: [UInt8] {
    get throws {
      let rules: JSONValue = [
        "keys": try .identities(of: keys.keys), "ambiguous": try .identities(of: keys.ambiguous),
        "skipped": .number(JSONNumber(keys.skipped)), "policy": policy.json,
      ]
      return try HashAlgorithm.sha256.hash(rules.serialized())
    }
  }
}

extension NestedTokenVerifier {
  /// A digest of the keys and rules of both steps.
  public var identity: [UInt8] {
    get throws {
      let policy = decrypter.policy
      let rules: JSONValue = [
        "decryption": try .identities(of: decrypter.keys.keys), "skipped": .number(JSONNumber(decrypter.keys.skipped)),
        "algorithms": .names(policy.algorithms), "encryptions": .names(policy.encryptions),
        "requiresKeyID": .bool(policy.requiresKeyID), "limits": policy.limits.asJSON,
        "verifier": .string(Base64URL.encode(try verifier.identity)),
      ]
      return try HashAlgorithm.sha256.hash(rules.serialized())
    }
  }
}

extension VerificationPolicy {
  /// Every rule of the policy. When a rule is added to the policy, add it here.
  fileprivate var json: JSONValue {
    let type: JSONValue =
      switch type {
      case .any: ["any"]
      case .ifPresent(let name): ["ifPresent", .string(name)]
      case .required(let name): ["required", .string(name)]
      }
    return [
      "algorithms": .names(algorithms),
      "issuers": issuers.map { .array($0.map(\.json)) } ?? .null,
      "audiences": audiences.map { .array($0.map(JSONValue.string)) } ?? .null,
      "authorizedParty": .optional(authorizedParty), "checksAuthenticationTime": .bool(checksAuthenticationTime),
      "type": type, "requiredClaims": .array(requiredClaims.map(JSONValue.string)),
      "requiresKeyID": .bool(requiresKeyID), "requiresUserID": .bool(requiresUserID), "checksTime": .bool(checksTime),
      "binding": .string("\(binding)"), "nonce": .optional(nonce),
      "accompanyingAccessToken": .optional(accompanyingAccessToken?.revealed),
      "accompanyingCode": .optional(accompanyingCode?.revealed),
      "maximumLifetime": .optional(maximumLifetime), "maximumAge": .optional(maximumAge), "leeway": .optional(leeway),
      "limits": limits.asJSON,
    ]
  }
}

extension AcceptedIssuer {
  fileprivate var json: JSONValue {
    guard let tenant else { return ["exactly", .string(prefix)] }
    return [
      "template", .string(prefix), .string(tenant.suffix), .string(tenant.claim),
      tenant.values.map { .array($0.map(JSONValue.string)) } ?? .null,
    ]
  }
}

extension TokenLimits {
  fileprivate var asJSON: JSONValue {
    .array(
      [token, header, json.bytes, json.depth, json.members, json.nameBytes].map { .number(JSONNumber($0)) })
  }
}

extension JSONValue {
  fileprivate static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  fileprivate static func optional(_ span: Duration?) -> JSONValue {
    // Not `components`, which stops the process for a duration whose seconds do not fit in 64 bits.
    span.map { .string("\($0.attoseconds)") } ?? .null
  }
  fileprivate static func names(_ names: Set<some RawRepresentable<String>>) -> JSONValue {
    .array(names.map(\.rawValue).sorted().map(JSONValue.string))
  }
  /// Sorted: the order of the keys in the set does not matter, and some servers shuffle it.
  fileprivate static func identities(of keys: [JWK]) throws(AuthError) -> JSONValue {
    var identities: [JSONValue] = []
    for key in keys { identities.append(.array([.string(try typed { try key.thumbprint() }), key.json])) }
    return .array(identities.sorted { $0.serialized().lexicographicallyPrecedes($1.serialized()) })
  }
}
