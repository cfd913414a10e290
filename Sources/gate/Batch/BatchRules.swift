import GatehouseBase
import GatehouseJOSE

/// Rules for lines of a batch that do not have their own.
struct BatchDefaults: Sendable {
  let rules: TokenRules
  let keys: VerificationKeys
  /// The keys of a file that was named; others are read when a line needs them.
  var given: JWKSet?
}

/// Reads the rules of a batch's line.
struct BatchRules {
  private let members: JSONObject
  private let defaults: TokenRules

  /// Rules about the keys and the signature.
  static let ofSignatures = ["jwk", "jwks", "algorithms", "checkTime"]
  /// Rules about a token's header and claims.
  static let ofTokens = ["issuer", "audience", "leeway", "typ"]

  init(_ members: JSONObject, defaults: TokenRules) {
    self.members = members
    self.defaults = defaults
  }

  /// The keys of `jwks`, or the one of `jwk`: a private key's public half serves. `nil` if the line has none.
  func keys() throws(AuthError) -> JWKSet? {
    switch (members["jwks"], members["jwk"]) {
    case (let set?, nil): return try JWKSet(set)
    case (nil, let one?):
      let key = try JWK(one)
      return try JWKSet([key.publicJWK ?? key])
    case (nil, nil): return nil
    case (_?, _?): throw AuthError(.invalidArgument, "the line has both jwks and jwk; give one of them")
    }
  }

  /// The algorithms that the line allows: all that its keys are for, unless it says otherwise.
  func algorithms() throws(AuthError) -> Set<JWSAlgorithm> {
    guard let value = members["algorithms"] else { return defaults.acceptedAlgorithms }
    guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
      throw AuthError(.invalidArgument, "algorithms must be an array of strings")
    }
    // A name that is not known here allows nothing.
    return Set(list.compactMap(\.string).compactMap(JWSAlgorithm.init(named:)))
  }

  /// What a token must be.
  func policy() throws(AuthError) -> VerificationPolicy {
    var policy = VerificationPolicy(
      algorithms: try algorithms(), issuer: try text("issuer") ?? defaults.issuer,
      audience: try text("audience") ?? defaults.audience, leeway: try leeway())
    if let type = try text("typ") ?? defaults.typ { policy.type = .required(type) }
    policy.checksTime = try checksTime()
    // Without a check of the time an expiry is not required.
    if !policy.checksTime { policy.requiredClaims = [] }
    return policy
  }

  func checksTime() throws(AuthError) -> Bool {
    guard let value = members["checkTime"] else { return true }
    guard let checks = value.bool else { throw AuthError(.invalidArgument, "checkTime must be true or false") }
    return checks
  }

  private func leeway() throws(AuthError) -> Duration {
    guard let value = members["leeway"] else { return .seconds(defaults.leeway ?? 0) }
    guard let seconds = value.double, (0...VerificationPolicy.maximumLeeway.inSeconds).contains(seconds) else {
      throw AuthError(.invalidArgument, "leeway must be a number of seconds from 0 to 60")
    }
    return .seconds(seconds)
  }

  private func text(_ name: String) throws(AuthError) -> String? {
    guard let value = members[name] else { return nil }
    guard let text = value.string else { throw AuthError(.invalidArgument, "\(name) must be a string") }
    return text
  }
}

extension JWSAlgorithm {
  /// An algorithm by its name, compared as bytes.
  init?(named name: String) {
    guard case .signature(let algorithm)? = JWK.Algorithm(rawValue: name) else { return nil }
    self = algorithm
  }
}
