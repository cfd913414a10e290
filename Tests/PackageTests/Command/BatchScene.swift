import Foundation
import GatehouseJOSE
import Testing

/// Questions for `gate verify --batch`, and the answers that the built command gives to them.
struct BatchScene: Sendable {
  let key: JWK
  /// The public half, as a set.
  let keys: JSONValue
  static let claims: JSONObject = [
    "iss": "https://issuer.example", "aud": "app", "sub": "ada", "iat": 1_700_000_000, "exp": 1_700_003_600,
  ]
  /// A moment in the life of those claims.
  static let now: JSONValue = 1_700_000_100

  init(_ type: KeyType = .p256, keyID: String = "key") throws {
    key = try JWK(.privateKey(PrivateKey.generate(type)), keyID: keyID)
    keys = try JWKSet([#require(key.publicJWK)]).json
  }

  func token(_ claims: JSONObject = claims, type: String? = "JWT") throws -> String {
    try TokenSigner(key).sign(claims, type: type)
  }

  /// A line that is answered with the claims, without some of its members, and with others in place of its own.
  func question(_ others: JSONObject = [:], without names: String...) throws -> JSONObject {
    var line: JSONObject = ["token": .string(try token()), "jwks": keys, "now": Self.now]
    for name in names { line[name] = nil }
    for member in others.members { line[member.name] = member.value }
    return line
  }

  static func answers(
    to lines: [JSONObject], _ options: String..., files: [String: String] = [:]
  ) async throws -> [JSONObject] {
    let input = lines.map { "\($0)\n" }.joined()
    return try await GateHome.withNone { home in
      for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(home.folder)/\(name)")) }
      let outcome = try await home.gate(["verify", "--batch"] + options, input: Array(input.utf8))
      #expect(outcome.succeeded && outcome.errors == "", "\(outcome)")
      return try Self.lines(of: outcome.output)
    }
  }

  static func lines(of output: String) throws -> [JSONObject] {
    try output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
      try JSONObject(parsing: line.utf8)
    }
  }
}

extension JSONObject {
  /// The reason of a refusal; `valid` if the answer is none, and what is no answer as it is.
  var reason: String {
    switch self["valid"]?.bool {
    case true?: "valid"
    case false?: self["message"]?.string == nil ? "\(self)" : self["reason"]?.string ?? "\(self)"
    case nil: "\(self)"
    }
  }
}
