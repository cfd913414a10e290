import GatehouseBase
import GatehouseJOSE

/// Claims, under a good signature: the input is the payload's bytes. Accepted is what the policy says, and no more.
enum ClaimsTarget: Target {
  static let name = "claims"
  static let longest = 12 << 10

  private static let header = Array(#"{"alg":"HS256"}"#.utf8)
  private static let now = SignedTokens.now
  private static let leeway: Double = 30
  private static let lifetime: Double = 4000
  private static let age: Double = 1000

  private static let lax = TokenVerifier(keys: Keys.secretSet, policy: policy(isStrict: false))
  private static let strict = TokenVerifier(keys: Keys.secretSet, policy: policy(isStrict: true))

  private static func policy(isStrict: Bool) -> VerificationPolicy {
    var policy = VerificationPolicy(algorithms: [.HS256], leeway: .seconds(leeway))
    policy.requiredClaims = []
    guard isStrict else { return policy }
    policy.issuer = "https://issuer.example"
    policy.audience = "fuzz"
    policy.authorizedParty = "app"
    policy.requiredClaims = ["exp", "a name of more than sixteen bytes"]
    policy.requiresUserID = true
    policy.maximumLifetime = .seconds(lifetime)
    policy.maximumAge = .seconds(age)
    policy.checksAuthenticationTime = true
    return policy
  }

  static func check(_ input: [UInt8]) {
    let token = Forgery.token(header: header, payload: input)
    let claims = attempt { try JSONObject(parsing: input) }
    let isGood = token.utf8.count <= TokenLimits.standard.token && claims.map(isInOrder) ?? false

    let byLax = attempt { try lax.verify(token, at: now) }
    require((byLax != nil) == isGood, "claims are accepted by the rules of all policies")
    let byStrict = attempt { try strict.verify(token, at: now) }
    require((byStrict != nil) == (isGood && claims.map(isWanted) ?? false), "claims are accepted by the policy")
    for verified in [byLax, byStrict] {
      guard let verified else { continue }
      require(verified.claims == claims, "the claims say what they said")
      _ = (verified.issuer, verified.subject, verified.audience, verified.expiry, verified.issuedAt)
    }
  }

  // MARK: The rules, in plain words

  private static func isInOrder(_ claims: JSONObject) -> Bool {
    for name in ["iss", "sub", "jti"] where claims[name] != nil && claims[name]?.string == nil { return false }
    for name in ["exp", "nbf", "iat"] where claims[name] != nil && moment(name, claims) == nil {
      return false
    }
    if let made = moment("iat", claims), let end = moment("exp", claims), end < made { return false }
    return moment("exp", claims).map { now < $0 + leeway } ?? true
      && ["nbf", "iat"].allSatisfy { moment($0, claims).map { $0 <= now + leeway } ?? true }
  }

  private static func isWanted(_ claims: JSONObject) -> Bool {
    let audiences = claims["aud"]?.array ?? claims["aud"].map { [$0] } ?? []
    guard audiences.allSatisfy({ $0.string != nil }) else { return false }
    if claims["auth_time"] != nil {
      guard let signedIn = moment("auth_time", claims), signedIn <= now + leeway else { return false }
    }
    guard claims["iss"] == "https://issuer.example", audiences.contains("fuzz"), claims["azp"] == "app",
      claims["a name of more than sixteen bytes"]?.isNull == false,
      let subject = claims["sub"]?.string, (1...128).contains(subject.unicodeScalars.count),
      let made = moment("iat", claims), let end = moment("exp", claims)
    else { return false }
    return end - made <= lifetime && now - made <= age + leeway
  }

  private static func moment(_ name: String, _ claims: JSONObject) -> Double? {
    guard let number = claims[name]?.number, number.text.first != "-", number.double <= 253_402_300_799 else {
      return nil
    }
    return number.double
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let good = """
      {"iss":"https://issuer.example","aud":["other","fuzz"],"azp":"app","sub":"us\\u0065r","exp":1800000900,\
      "iat":1.7999999e9,"nbf":1799999900,"auth_time":0,"jti":"1","a name of more than sixteen bytes":""}
      """
    let edges = [
      "{}", #"{"exp":1799999971}"#, #"{"exp":1799999970}"#, #"{"nbf":1800000030}"#, #"{"exp":-0}"#,
      #"{"exp":253402300799}"#, #"{"exp":1e300}"#, #"{"exp":"1800000900"}"#, #"{"aud":[]}"#, #"{"aud":"fuzz"}"#,
      #"{"iss":null}"#, #"{"exp":null}"#,
    ]
    return ([good, good.replacing(#":""}"#, with: ":null}")] + edges).map { Array($0.utf8) } + [
      SignedTokens.claims.serialized()
    ]
      + harvest.tokens.compactMap {
        $0.split(separator: ".").dropFirst().first.flatMap { try? Base64URL.decode(String($0)) }
      }
  }
}
