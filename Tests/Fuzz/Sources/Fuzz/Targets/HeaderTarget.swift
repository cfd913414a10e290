import GatehouseBase
import GatehouseJOSE

/// Headers, under a good signature: the input is the header's bytes. Accepted is what the rules say, and no more.
enum HeaderTarget: Target {
  static let name = "header"
  static let longest = 3200

  private static let policy = VerificationPolicy(algorithms: [.HS256, .HS512])
  private static let tokens = TokenVerifier(keys: Keys.secretSet, policy: policy)
  private static let messages = JWSVerifier(keys: Keys.secretSet, policy: policy)
  private static let payload = SignedTokens.claims.serialized()

  static func check(_ input: [UInt8]) {
    let token = Forgery.token(header: input, payload: payload)
    let header = attempt { try JSONObject(parsing: input) }
    let asked = (1...TokenLimits.standard.header).contains(Base64URL.encodedCount(input.count)) ? header : nil

    // Twice: the second time the header may be one that is remembered.
    for _ in 0..<2 {
      let verified = attempt { try tokens.verify(token, at: SignedTokens.now) }
      require((verified != nil) == (asked.map(isTokenHeader) ?? false), "a token's header is accepted by the rules")
      require(verified == nil || verified?.header.members == header, "the header says what it said")

      let message = attempt { try messages.verify(token) }
      require((message != nil) == (asked.map(isMessageHeader) ?? false), "a message's header is accepted by the rules")
      guard let message else { continue }
      let spelled = header?["b64"] == false ? Array(Base64URL.encode(payload).utf8) : payload
      require(message.payload == spelled, "the payload is read as the header says")
    }
  }

  /// The rules for tokens, in plain words.
  private static func isTokenHeader(_ header: JSONObject) -> Bool {
    guard isHeader(header), header["crit"] == nil, header["b64"] == nil else { return false }
    if let type = header["typ"]?.string, !isJWT(type) { return false }
    guard let content = header["cty"] else { return true }
    return content.string.map { !isJWT($0) } ?? false
  }

  /// The rules for messages.
  private static func isMessageHeader(_ header: JSONObject) -> Bool {
    guard isHeader(header) else { return false }
    let isNamed = header["crit"] == ["b64"]
    guard isNamed || header["crit"] == nil else { return false }
    return isNamed ? header["b64"]?.bool != nil : header["b64"] == nil
  }

  private static func isHeader(_ header: JSONObject) -> Bool {
    header["alg"] == "HS256" && header["kid"] ?? "secret" == "secret" && header["zip"] == nil
      && (header["typ"] ?? "").string != nil
  }

  private static func isJWT(_ type: String) -> Bool {
    let lower = type.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    return lower == Array("jwt".utf8) || lower == Array("application/jwt".utf8)
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    [
      #"{"alg":"HS256"}"#, #"{"alg":"HS512","kid":"secret"}"#, #"{"alg":"HS256","kid":"secret","typ":"JWT"}"#,
      #"{"typ":"application/jwt","alg":"HS256","cty":"json","x5c":[],"jwk":{}}"#,
      #"{"alg":"HS256","b64":false,"crit":["b64"]}"#, #"{"alg":"HS256","b64":true,"crit":["b64"]}"#,
      #"{"alg":"none"}"#, #"{"alg":"HS256","crit":["exp"],"exp":1}"#, #"{"alg":"HS256","zip":"DEF"}"#,
      #"{"\u0061lg":"HS256","kid":"secre\u0074"}"#,
    ].map { Array($0.utf8) }
      + (harvest.tokens + harvest.encrypted).compactMap { try? Base64URL.decode(String($0.prefix { $0 != "." })) }
  }
}
