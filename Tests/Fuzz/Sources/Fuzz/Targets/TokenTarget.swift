import GatehouseBase
import GatehouseJOSE

/// Compact tokens and messages, as they come over the wire. A token that ends in `.*` gets a good signature there.
enum TokenTarget: Target {
  static let name = "token"
  static let longest = 16_640

  private static let readers = [Readers(Keys.publicSet), Readers(Keys.secretSet)]
  private static let strangers = [Readers(Keys.strangePublicSet), Readers(Keys.strangeSecretSet)]

  static func check(_ input: [UInt8]) {
    let (token, isOurs) = Forgery.completed(String(decoding: input, as: UTF8.self))
    let unverified = attempt { try UnverifiedToken(token) }
    let unsecured = attempt { try UnsecuredToken(token) }
    require(unsecured == nil || unverified == nil, "a token without a signature is not taken for another")

    var accepted = 0
    for reader in readers {
      guard let verified = reader.verify(token) else { continue }
      accepted += 1
      require(
        isOurs || SignedTokens.signed.contains(SignedTokens.signedPart(token)), "what is accepted was signed")
      require(unverified?.claims == verified.claims, "both readers understand the same")
      require(unverified?.header == verified.header, "both readers understand the same")
    }
    require(accepted < 2, "no token is good by a public key and by a secret")
    for stranger in strangers { require(stranger.verify(token) == nil, "nothing is good by a stranger's key") }
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let stars = SignedTokens.tokens.map { String(decoding: SignedTokens.signedPart($0), as: UTF8.self) + ".*" }
    let unsecured = "eyJhbGciOiJub25lIn0.e30."
    return (SignedTokens.tokens + stars + [unsecured] + harvest.tokens).map { Array($0.utf8) }
  }
}

/// Everything that reads tokens and messages with one set of keys.
private struct Readers {
  private let tokens: TokenVerifier
  private let messages: JWSVerifier
  private let cached: CachedTokenVerifier

  init(_ keys: JWKSet) {
    let policy = VerificationPolicy(algorithms: Set(JWSAlgorithm.allCases))
    let verifier = TokenVerifier(keys: keys, policy: policy)
    tokens = verifier
    messages = JWSVerifier(keys: keys, policy: policy)
    cached = sure {
      try CachedTokenVerifier(verifier, cache: TokenCache(limits: TokenCache.Limits(tokens: 100)))
    }
  }

  /// The token if it is good: all readers must agree.
  func verify(_ token: String) -> VerifiedToken? {
    let verified = attempt { try tokens.verify(token, at: SignedTokens.now) }
    let message = attempt { try messages.verify(token) }
    if let verified {
      require(message != nil, "a token is a message")
      require(message?.header == verified.header, "both readers understand the same")
    }
    let now = ClockReading(wall: SignedTokens.now, boot: 0, bootID: "")
    for _ in 0..<2 {
      let found = attempt { try cached.verify(token, at: now) }
      require(found?.claims == verified?.claims, "the cache says the same, the first time and the second")
    }
    // Expired, as the cached one must be: it is found, and its times are looked at again.
    let late = ClockReading(wall: SignedTokens.now + 1e9, boot: 1, bootID: "")
    let expired = attempt { try tokens.verify(token, at: late.wall) }
    let found = attempt { try cached.verify(token, at: late) }
    require(found?.claims == expired?.claims, "the cache says the same when the token has expired")
    return verified
  }
}
