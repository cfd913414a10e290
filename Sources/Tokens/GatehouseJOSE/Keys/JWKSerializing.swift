public import GatehouseBase
import GatehouseCrypto

extension JWK {
  /// The public part as JSON. For a shared secret, only its key ID and its uses.
  public var json: JSONValue {
    switch key {
    case .publicKey, .privateKey: .object(publicMembers.adding(description(operations: publicOperations)))
    case .symmetric: .object(JSONObject(["kty": "oct"]).adding(description(operations: operations)))
    }
  }

  /// The whole key as JSON, including private numbers and shared secrets. Search for this name to find where secrets
  /// are exposed.
  public func jsonRevealingSecrets() throws -> JSONValue {
    switch key {
    case .publicKey: return json
    case .privateKey(let key):
      let secrets = try key.revealedParameters().members
      return .object(publicMembers.adding(secrets).adding(description(operations: operations)))
    case .symmetric(let key):
      let members: JSONObject = ["kty": "oct", "k": .string(Base64URL.encode(key.revealedBytes))]
      return .object(members.adding(description(operations: operations)))
    }
  }

  /// The key's fingerprint (RFC 7638): SHA-256 over its required members, in base64url.
  ///
  /// A shared secret's thumbprint is a hash of the secret: do not publish it if the secret can be guessed.
  public func thumbprint() throws -> String {
    var members = publicMembers
    if case .symmetric(let key) = key { members = ["k": .string(Base64URL.encode(key.revealedBytes)), "kty": "oct"] }
    let sorted = members.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var canonical = JSONObject()
    for member in sorted { canonical[member.name] = member.value }
    return Base64URL.encode(try HashAlgorithm.sha256.hash(canonical.serialized()))
  }

  /// The members of the public key; none for a shared secret.
  private var publicMembers: JSONObject {
    switch key.publicKey?.parameters {
    case .rsa(let modulus, let exponent)?:
      ["kty": "RSA", "n": .base64url(modulus), "e": .base64url(exponent)]
    case .ec(let curve, let x, let y)?:
      ["kty": "EC", "crv": .string(curve.rawValue), "x": .base64url(x), "y": .base64url(y)]
    case .okp(let curve, let bytes)?:
      ["kty": "OKP", "crv": .string(curve.rawValue), "x": .base64url(bytes)]
    case nil: [:]
    }
  }

  private func description(operations: [String]?) -> JSONObject {
    var members = JSONObject()
    if let keyID { members["kid"] = .string(keyID) }
    if let algorithm { members["alg"] = .string(algorithm.rawValue) }
    if let use { members["use"] = .string(use) }
    if let operations { members["key_ops"] = .array(operations.map(JSONValue.string)) }
    if let issuer { members["issuer"] = .string(issuer) }
    if !certificates.isEmpty { members["x5c"] = .array(certificates.map { .string(Base64.encode($0.der)) }) }
    if let certificateFingerprint { members["x5t#S256"] = .base64url(certificateFingerprint) }
    return members
  }
}

extension PrivateKey.Parameters {
  fileprivate var members: JSONObject {
    switch self {
    case .rsa(let numbers):
      [
        "d": .revealing(numbers.d), "p": .revealing(numbers.p), "q": .revealing(numbers.q),
        "dp": .revealing(numbers.dp), "dq": .revealing(numbers.dq), "qi": .revealing(numbers.qi),
      ]
    case .ec(_, _, _, let d): ["d": .revealing(d)]
    case .okp(_, _, let d): ["d": .revealing(d)]
    }
  }
}

extension JSONValue {
  fileprivate static func base64url(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
  fileprivate static func revealing(_ secret: SecretBytes) -> JSONValue { .base64url(secret.revealed) }
}

extension JSONObject {
  fileprivate func adding(_ other: JSONObject) -> JSONObject {
    var both = self
    for member in other.members { both[member.name] = member.value }
    return both
  }
}
