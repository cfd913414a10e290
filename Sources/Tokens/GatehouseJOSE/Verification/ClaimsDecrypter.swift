public import FoundationEssentials
public import GatehouseBase

/// Decrypts tokens whose claims were encrypted but not signed, and checks the claims by rules.
///
/// This is not a verification: anyone can encrypt to a public key, and with a shared secret each of its owners can. So
/// `iss` is whatever the writer chose. Use it for tokens whose writer is known by other means, such as the program's
/// own (`dir`); for others use `NestedTokenVerifier`. Uses no queue. Usable from any thread; slow work if the
/// decrypter's is.
public struct ClaimsDecrypter: Sendable {
  /// Decrypts the message.
  public let decrypter: TokenDecrypter
  /// The rules for type and claims, with the clocks and the limits for their JSON. Algorithms and keys are those of the
  /// decrypter.
  public let rules: VerificationPolicy
  private let claimRules: ClaimRules

  /// Makes a decrypter for tokens that are only encrypted.
  public init(decrypter: TokenDecrypter, rules: VerificationPolicy) {
    self.decrypter = decrypter
    self.rules = rules
    claimRules = ClaimRules(rules)
  }

  /// Decrypts a token and checks its claims now, by the clocks of the rules.
  ///
  /// Throws the errors of `TokenDecrypter`, and those of a `TokenVerifier` for the claims. A token inside (`cty` is
  /// JWT) throws `typeMismatch`.
  public func decrypt(_ message: String) throws -> DecryptedClaims {
    try decrypt(message, at: rules.clocks.wall)
  }

  /// Decrypts a token and checks its claims at a moment.
  public func decrypt(_ message: String, at moment: Date) throws -> DecryptedClaims {
    try decrypt(message, at: moment.wall)
  }

  /// Decrypts a token and checks its claims at a moment in seconds since 1970.
  package func decrypt(_ message: String, at now: Double) throws(AuthError) -> DecryptedClaims {
    let message = try typed { try decrypter.decrypt(message) }
    try rules.checkType(message.header)
    let claims = try ScannedObject(parsing: message.plaintext, limits: rules.limits.json)
    // OpenID Connect defines `at_hash` and `c_hash` for signed tokens only.
    try claimRules.check(claims, hashedWith: nil, by: nil, at: now)
    return DecryptedClaims(header: message.header, payload: claims)
  }
}

/// The claims of a token that was encrypted but not signed, from a `ClaimsDecrypter`. They satisfy its rules, but they
/// do not prove who wrote them.
public struct DecryptedClaims: Sendable {
  /// The header: anyone can read it, but it is unchanged.
  public let header: TokenHeader
  /// The claims of the token.
  public var claims: JSONObject { payload.object }
  let payload: ScannedObject
}

extension DecryptedClaims: TokenClaims {
  /// A claim by name.
  public subscript(_ name: String) -> JSONValue? { payload[name] }
}

extension DecryptedClaims: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("DecryptedClaims", self, header) }
  /// The issuer, the subject, the audiences, the times, the algorithm and the key ID: no other claims.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}
