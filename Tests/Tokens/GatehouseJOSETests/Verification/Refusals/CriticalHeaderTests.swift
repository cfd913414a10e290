import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// Headers that change a message's meaning, in tokens and in messages, protected or not (group 12).
struct `A critical header` {
  /// Headers with unknown critical members.
  static let refused: [JSONObject] = [
    ["crit": []], ["crit": "b64"], ["crit": .null], ["crit": 1], ["crit": true], ["crit": ["b64": true]],
    ["crit": ["exp"]], ["crit": ["exp"], "exp": 1], ["crit": [1]], ["crit": ["b64", 1], "b64": false],
    ["crit": ["b64"]], ["crit": ["b64", "b64"], "b64": false], ["crit": ["alg"]], ["crit": ["kid"]],
    ["crit": ["b64", "alg"], "b64": false], ["crit": ["crit"]], ["crit": [""]], ["crit": ["", "b64"], "b64": false],
    ["crit": ["b64", "exp"], "b64": false, "exp": 1], ["crit": ["B64"], "b64": false],
    ["crit": ["b64 "], "b64": false],
    ["b64": false], ["b64": true], ["b64": "false"], ["b64": 0], ["b64": .null],
    ["crit": ["b64"], "b64": "false"], ["crit": ["b64"], "b64": 0], ["crit": ["b64"], "b64": .null],
    ["crit": [["b64"]], "b64": false], ["crit": ["x5u"], "x5u": "https://example.com/"],
    ["crit": ["http://example.com/UNDEFINED"], "http://example.com/UNDEFINED": true],
  ]

  /// Headers that a message may have, but a token may not.
  static let forMessages: [JSONObject] = [["crit": ["b64"], "b64": false], ["crit": ["b64"], "b64": true]]

  private let messages = JWSVerifier(keys: TokenScene.keys, algorithms: [.RS256])

  private func signed(_ extra: JSONObject) throws -> String {
    var header = TokenScene.header
    for member in extra.members { header[member.name] = member.value }
    return try TokenScene.signed(payload: TokenScene.claims.description, header: header)
  }

  @Test func `of a token is refused, with everything in it (group 12)`() throws {
    for extra in Self.refused + Self.forMessages {
      #expect(try TokenScene.refusal(of: signed(extra)) == .criticalHeader, "\(extra)")
    }
    #expect(try TokenScene.refusal(of: signed([:])) == nil)
  }

  @Test func `of a token that nobody signed is refused as well (group 12)`() throws {
    for extra in Self.refused + Self.forMessages {
      var header: JSONObject = ["alg": "none"]
      for member in extra.members { header[member.name] = member.value }
      let token = Base64URL.encode(header.serialized()) + ".e30."
      #expect(refusal { try UnsecuredToken(token) } == .criticalHeader, "\(extra)")
    }
  }

  @Test func `of a message in compact form is refused, but for a b64 as it must be (group 12)`() throws {
    for extra in Self.refused {
      let message = try signed(extra)
      #expect(refusal { try messages.verify(message) } == .criticalHeader, "\(extra)")
    }
    let parts = try signed(["crit": ["b64"], "b64": true]).split(separator: ".").joined(separator: ".")
    #expect(refusal { try messages.verify(parts) } == nil)
  }

  @Test func `of a message in JSON is refused, but for a b64 as it must be (group 12)`() throws {
    for extra in Self.refused {
      let parts = try signed(extra).split(separator: ".").map(String.init)
      let flat: JSONObject = [
        "protected": .string(parts[0]), "payload": .string(parts[1]), "signature": .string(parts[2]),
      ]
      let general: JSONObject = [
        "payload": .string(parts[1]),
        "signatures": [["protected": .string(parts[0]), "signature": .string(parts[2])]],
      ]
      for message in [flat, general] {
        for rule in [SignatureRule.all, .one] {
          #expect(
            refusal { try messages.verify(json: message.serialized(), requiring: rule) }
              == .criticalHeader, "\(extra)")
        }
      }
    }
  }

  @Test func `that nobody signed is refused, whatever it says (group 12)`() throws {
    let parts = try signed([:]).split(separator: ".").map(String.init)
    for (name, value) in [
      ("crit", ["b64"]), ("crit", []), ("b64", false), ("b64", true), ("zip", "DEF"), ("alg", "RS256"), ("alg", "none"),
    ] as [(String, JSONValue)] {
      let flat: JSONObject = [
        "protected": .string(parts[0]), "payload": .string(parts[1]), "signature": .string(parts[2]),
        "header": .object([name: value]),
      ]
      #expect(
        refusal { try messages.verify(json: flat.serialized()) } == .headerInvalid, "\(name)")
    }
  }

  @Test func `lets no dot into a payload that is carried as it is (group 12)`() throws {
    let signer = try TokenSigner(key: TokenScene.rsa, keyID: "rsa")
    let plain = MessageForm(encodesPayload: false)
    #expect(try messages.verify(signer.sign(message: Array("$_02".utf8), as: plain)).payload == Array("$_02".utf8))
    for payload in ["$.02", ".", "a\n", "\u{E9}", "\u{7F}", "\0"] {
      #expect(
        refusal { try signer.sign(message: Array(payload.utf8), as: plain) } == .invalidArgument
      )
    }
    let beside = MessageForm(carriesPayload: false, encodesPayload: false)
    let parts = try signer.sign(message: Array("$.02".utf8), as: beside).split(separator: ".")
    #expect(
      refusal { try messages.verify("\(parts[0]).$.02.\(parts[1])") } == .tokenMalformed)
  }
}
