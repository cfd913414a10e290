import GatehouseJOSE
import TestSupport
import Testing

@Suite(.enabled(if: Vectors.areHere, "there is no folder of vectors: set GATEHOUSE_VECTORS"))
struct `Wycheproof's tokens` {
  /// Tests of `json_web_signature` whose expectation is wrong, with a strict verifier's result.
  static let faults: [Int64: Bool] = [
    346: false, 350: false,  // Figure20: the key is for PS256, the header says PS384
    347: false, 351: false,  // Figure27: the key is for ES521, which does not exist
    372: false, 373: false,  // a question mark in header or payload
    367: true, 370: true,  // identical to the token of the valid test 357
  ]

  @Test func `are answered as they ask`() throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("json_web_signature") {
      let key = try #require(group["public"] ?? group["private"])
      for test in group["tests"]?.array ?? [] {
        let id = try #require(test["tcId"]?.integer)
        let valid = Self.accepts(test["jws"]?.string ?? "", keys: ["keys": [key]])
        #expect(
          valid == Self.faults[id] ?? (test["result"]?.string == "valid"), "\(id) \(test["comment"]?.string ?? "")")
        seen[valid ? "accepted" : "refused", default: 0] += 1
      }
    }
    #expect(seen == ["accepted": 42, "refused": 359])
  }

  @Test func `are answered as they ask, whatever keys they come with`() throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("json_web_key") {
      let keys = try #require(group["public"] ?? group["private"])
      for test in group["tests"]?.array ?? [] {
        let valid = Self.accepts(test["jws"]?.string ?? "", keys: keys)
        #expect(valid == (test["result"]?.string == "valid"), "\(test["tcId"]?.integer ?? 0)")
        seen[valid ? "accepted" : "refused", default: 0] += 1
      }
    }
    #expect(seen == ["accepted": 5, "refused": 21])
  }

  @Test(.enabled(if: Vectors.has("json_web_crypto"), "there is no json_web_crypto: set GATEHOUSE_MORE_VECTORS"))
  func `of the older file are answered as they ask`() throws {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups("json_web_crypto") {
      let key = try #require(group["public"] ?? group["private"])
      for test in group["tests"]?.array ?? [] {
        guard let jws = test["jws"] else { continue }
        let valid = Self.accepts(jws.string ?? jws.description, keys: key["keys"] == nil ? ["keys": [key]] : key)
        #expect(valid == (test["result"]?.string == "valid"), "\(test["tcId"]?.integer ?? 0)")
        seen[valid ? "accepted" : "refused", default: 0] += 1
      }
    }
    #expect(seen == ["accepted": 4, "refused": 45])
  }

  private static func accepts(_ token: String, keys: JSONValue) -> Bool {
    guard let set = try? JWKSet(keys) else { return false }
    return (try? JWSVerifier(keys: set, algorithms: Set(JWSAlgorithm.allCases)).verify(token)) != nil
  }
}
