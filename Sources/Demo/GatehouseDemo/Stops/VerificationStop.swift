import Gatehouse
import GatehouseJOSE
import GatehouseLocal

extension TourStop {
  static let verification = TourStop("OpenSSL verifies the token against the provider's key set") { stage, evidence in
    let user = try stage.user()
    let token = try await user.getIDToken()
    let keys = try await stage.provider.keySet()
    let verifier = TokenVerifier(keys: keys, policy: .firebaseIDToken(project: stage.provider.audience))
    let now = stage.now

    let verified = try verifier.verify(token, at: now)
    var times: [Duration] = []
    for _ in 0..<1000 {
      let begin = ContinuousClock.now
      _ = try verifier.verify(token, at: now)
      times.append(ContinuousClock.now - begin)
    }
    let median = times.sorted()[times.count / 2]
    evidence.expect("the token's subject", verified.subject, is: user.uid)
    evidence.expect("the token's algorithm", verified.header.algorithm, is: "RS256")
    evidence.expect("keys in the set", keys.keys.count, is: 1)
    evidence.expect("the token's issuer", verified.issuer, is: "https://securetoken.google.com/local")
    evidence.note =
      "\(verified.header.algorithm), issuer and audience as they must be, \(median.short) a token (median)"
  }
}
