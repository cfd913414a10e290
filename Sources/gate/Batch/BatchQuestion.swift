import GatehouseBase
import GatehouseJOSE

/// What one line of a batch asks: a token, and the rules to verify it with.
struct BatchQuestion: Sendable {
  let token: String
  /// The time at which to verify the token, in seconds since 1970; `nil` for the current time.
  let now: Double?
  /// All other members, as they were written. Lines with the same rules share one verifier.
  let rules: JSONObject

  /// The key ID in the token's header; `nil` if there is none, or if the header cannot be read.
  var keyID: String? { header?["kid"]?.string }

  /// The algorithm in the token's header; `nil` if there is none, or if the header cannot be read.
  var algorithm: JWSAlgorithm? { header?["alg"]?.string.flatMap(JWSAlgorithm.init(named:)) }

  private var header: JSONObject? {
    let header = token.utf8.prefix { $0 != UInt8(ascii: ".") }
    guard let bytes = try? Base64URL.bytes(of: Array(header)) else { return nil }
    return try? JSONObject(reading: bytes)
  }

  init(_ line: [UInt8]) throws(AuthError) {
    var members = try JSONObject(reading: line, limits: JSONLimits(bytes: Batch.longestLine))
    guard let token = members["token"]?.string else {
      throw AuthError(.invalidArgument, "the line has no string member `token`")
    }
    self.token = token
    now = try Self.moment(members["now"])
    members["token"] = nil
    members["now"] = nil
    rules = members
  }

  private static func moment(_ value: JSONValue?) throws(AuthError) -> Double? {
    guard let value else { return nil }
    guard let seconds = value.double, Moment.range.contains(seconds) else {
      throw AuthError(.invalidArgument, "now must be a number of seconds since 1970")
    }
    return seconds
  }
}
