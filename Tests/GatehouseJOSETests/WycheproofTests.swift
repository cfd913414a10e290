import GatehouseJOSE
import Testing

@Suite(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `Wycheproof's tokens` {
  /// Tests of `json_web_signature` whose expectation is wrong, and what a strict verifier answers instead.
  static let faults: [Int64: Bool] = [
    346: false, 350: false,  // Figure20: the key is for PS256, the header says PS384
    347: false, 351: false,  // Figure27: the key is for ES521, which does not exist
    372: false, 373: false,  // a question mark in header or payload
    367: true, 370: true,  // the very token of the valid test 357
  ]

  /// Algorithms of a later issue: whatever is signed with them is refused, valid or not.
  static let later: Set<String> = ["RS384", "RS512", "PS256", "PS384", "PS512", "HS384", "HS512", "ES384", "ES512"]

  @Test func `are answered as they ask, if their algorithm is known`() throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("json_web_signature") {
      let key = try #require(group["public"] ?? group["private"])
      for test in group["tests"]?.array ?? [] {
        let id = try #require(test["tcId"]?.integer)
        let valid = Self.accepts(test["jws"]?.string ?? "", keys: ["keys": [key]])
        let asked = Self.faults[id] ?? (test["result"]?.string == "valid")
        let known = !Self.later.contains(key["alg"]?.string ?? "")
        #expect(valid == (asked && known), "\(id) \(test["comment"]?.string ?? "")")
        seen[valid ? "accepted" : known ? "refused" : "refused, later", default: 0] += 1
      }
    }
    #expect(seen == ["accepted": 20, "refused": 298, "refused, later": 83])
  }

  @Test func `are answered as they ask, whatever keys they come with`() throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("json_web_key") {
      let keys = try #require(group["public"] ?? group["private"])
      let known = keys["keys"]?.array?.allSatisfy { !Self.later.contains($0["alg"]?.string ?? "") } ?? true
      for test in group["tests"]?.array ?? [] {
        let valid = Self.accepts(test["jws"]?.string ?? "", keys: keys)
        #expect(valid == (known && test["result"]?.string == "valid"), "\(test["tcId"]?.integer ?? 0)")
        seen[valid ? "accepted" : known ? "refused" : "refused, later", default: 0] += 1
      }
    }
    #expect(seen == ["accepted": 3, "refused": 17, "refused, later": 6])
  }

  private static func accepts(_ token: String, keys: JSONValue) -> Bool {
    guard let set = try? JWKSet(keys) else { return false }
    let policy = VerificationPolicy(algorithms: Set(JWSAlgorithm.allCases))
    return (try? TokenVerifier(keys: set, policy: policy).verifySignature(token)) != nil
  }
}
