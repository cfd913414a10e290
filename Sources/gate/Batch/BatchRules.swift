import GatehouseBase
import GatehouseJOSE

/// The rules and keys for lines of a batch that have none of their own.
struct BatchDefaults: Sendable {
  let rules: TokenRules
  let keys: VerificationKeys
  /// The keys of a file that the arguments name. Keys from elsewhere are read when a line needs them.
  var given: JWKSet?
}

/// Reads the rules in a line of a batch.
struct BatchRules {
  private let members: JSONObject
  private let defaults: TokenRules

  /// The names of the rules about the keys and the signature.
  static let ofSignatures = ["jwk", "jwks", "algorithms", "checkTime"]
  /// The names of the rules about a token's header and claims.
  static let ofTokens = ["issuer", "audience", "leeway", "typ"]

  init(_ members: JSONObject, defaults: TokenRules) {
    self.members = members
    self.defaults = defaults
  }

  /// The keys in `jwks`, or the one in `jwk`; of a private key the public half is taken. `nil` if the line has neither.
  func keys() throws(AuthError) -> JWKSet? {
    switch (members["jwks"], members["jwk"]) {
    case (let set?, nil): return try typed { try JWKSet(set) }
    case (nil, let one?):
      let key = try typed { try JWK(one) }
      return try typed { try JWKSet([key.publicJWK ?? key]) }
    case (nil, nil): return nil
    case (_?, _?): throw AuthError(.invalidArgument, "the line has both jwks and jwk; give one of them")
    }
  }

  /// The algorithms that the line allows; by default, those that the options allow. The key then decides which of them
  /// a token may use.
  func algorithms() throws(AuthError) -> Set<JWSAlgorithm> {
    guard let value = members["algorithms"] else { return defaults.acceptedAlgorithms }
    guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
      throw AuthError(.invalidArgument, "algorithms must be an array of strings")
    }
    // A name that is not known here allows no algorithm.
    return Set(list.compactMap(\.string).compactMap(JWSAlgorithm.init(named:)))
  }

  /// The policy that a token must meet.
  func policy() throws(AuthError) -> VerificationPolicy {
    var policy = VerificationPolicy(
      algorithms: try algorithms(), issuer: try text("issuer") ?? defaults.issuer,
      audience: try text("audience") ?? defaults.audience, leeway: try leeway())
    if let type = try text("typ") ?? defaults.typ { policy.type = .required(type) }
    policy.checksTime = try checksTime()
    // If the time is not checked, no expiry is required.
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
  /// Finds an algorithm by its name, which is compared byte by byte.
  init?(named name: String) {
    guard case .signature(let algorithm)? = JWK.Algorithm(rawValue: name) else { return nil }
    self = algorithm
  }
}
