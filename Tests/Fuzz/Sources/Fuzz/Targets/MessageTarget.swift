import GatehouseBase
import GatehouseJOSE

/// Messages in JSON, flattened and general. A signature of `*` becomes a good one: nothing else is good.
enum MessageTarget: Target {
  static let name = "message"

  private static let beside = Array("beside the message".utf8)
  private static let algorithms = Set(JWSAlgorithm.allCases)
  private static let ours = [Keys.publicSet, Keys.secretSet].map { JWSVerifier(keys: $0, algorithms: algorithms) }
  private static let strangers = [Keys.strangePublicSet, Keys.strangeSecretSet]
    .map { JWSVerifier(keys: $0, algorithms: algorithms) }

  static func check(_ input: [UInt8]) {
    let read = attempt { try JSONObject(parsing: input) }
    let (message, stars) = read.map(completed) ?? ([:], 0)
    // What is not an object goes in as it is.
    let bytes = stars > 0 ? message.serialized() : input
    let signatures = message["signatures"]?.array?.count ?? 1

    for detached in [nil, beside] {
      for verifier in ours {
        let all = attempt {
          try verifier.verify(json: bytes, detachedPayload: detached, requiring: .all)
        }
        let one = attempt {
          try verifier.verify(json: bytes, detachedPayload: detached, requiring: .one)
        }
        require(all == nil || (stars == signatures && all?.headers.count == stars), "every signature is ours")
        require(one == nil || (1...max(stars, 1)).contains(one?.headers.count ?? 0), "the good ones are ours")
        require(one == nil || stars > 0, "what is accepted was signed")
        require(all == nil || all?.payload == one?.payload, "both rules understand the same")
        if let payload = (all ?? one)?.payload { check(payload, of: message, detached) }
      }
      for verifier in strangers {
        let one = attempt {
          try verifier.verify(json: bytes, detachedPayload: detached, requiring: .one)
        }
        require(one == nil, "nothing is good by a stranger's key")
      }
    }
  }

  private static func check(_ payload: [UInt8], of message: JSONObject, _ detached: [UInt8]?) {
    require((message["payload"] == nil) == (detached != nil), "a payload is carried or comes beside, not both")
    guard let carried = message["payload"]?.string else { return require(payload == detached, "it is what came") }
    let decoded = try? Base64URL.decode(carried)
    require(payload == decoded || payload == Array(carried.utf8), "it is what is carried")
  }

  /// The message with good signatures where stars are, and how many.
  private static func completed(_ message: JSONObject) -> (JSONObject, Int) {
    var message = message
    let carried = message["payload"]?.string
    var stars = sign(&message, carried)
    guard let list = message["signatures"]?.array else { return (message, stars) }
    let signed = list.map { element in
      guard case .object(var object) = element else { return element }
      stars += sign(&object, carried)
      return JSONValue.object(object)
    }
    message["signatures"] = .array(signed)
    return (message, stars)
  }

  private static func sign(_ object: inout JSONObject, _ carried: String?) -> Int {
    guard object["signature"] == "*", let protected = object["protected"]?.string else { return 0 }
    let header = (try? Base64URL.decode(protected)).flatMap { try? JSONObject(parsing: $0) }
    // As it is carried is as it is signed; what comes beside is spelled as the header says.
    let spelled = header?["b64"] == false ? beside : Base64URL.encodedBytes(beside)
    let payload = carried.map { Array($0.utf8) } ?? spelled
    object["signature"] = .string(Forgery.signature(of: Array(protected.utf8) + [UInt8(ascii: ".")] + payload))
    return 1
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    // {"alg":"HS256"}; with b64=false and crit; with kid.
    let headers = [
      "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19",
      "eyJhbGciOiJIUzI1NiIsImtpZCI6InNlY3JldCJ9",
    ]
    let made = headers.flatMap { header in
      [
        #"{"payload":"QUJD","protected":"\#(header)","signature":"*"}"#,
        #"{"protected":"\#(header)","header":{"x":1},"signature":"*"}"#,
        #"{"payload":"QUJD","signatures":[{"protected":"\#(header)","signature":"*"}]}"#,
        #"{"payload":"QUJD","signatures":[{"protected":"\#(header)","signature":"*"},{"protected":"\#(header)","#
          + #""header":{"y":2},"signature":"AAAA"}]}"#,
      ]
    }
    return
      (made + [#"{"payload":"QUJD","protected":"eyJhbGciOiJIUzI1NiJ9","header":{"kid":"secret"},"signature":"*"}"#])
      .map { Array($0.utf8) } + harvest.messages.map { $0.serialized() }
  }
}
