import GatehouseBase
import GatehouseHTTP

/// The daemon's answer to a request: HTTP/1.1, with a JSON object as its body.
struct AgentAnswer {
  let status: Int
  let json: JSONObject

  /// Parses all bytes of an answer whose connection was closed after it.
  init(_ bytes: [UInt8]) throws(AuthError) {
    let end = Array("\r\n\r\n".utf8)
    guard let boundary = bytes.firstRange(of: end) else { throw Self.foreign }
    let lines = String(decoding: bytes[..<boundary.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw Self.foreign }
    let body = bytes[boundary.upperBound...]
    guard let length = Self.length(in: lines.dropFirst()), length == body.count else {
      throw AuthError(.networkError, "the agent's answer was cut short; ask again")
    }
    guard let json = try? JSONObject(reading: body) else { throw Self.foreign }
    (self.status, self.json) = (status, json)
  }

  private static func length(in fields: some Sequence<Substring>) -> Int? {
    for field in fields {
      let parts = field.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
      return Int(parts[1].drop { $0 == " " })
    }
    return nil
  }

  /// Returns the object of a request that was carried out.
  ///
  /// - Throws: the daemon's error.
  func value() throws(AuthError) -> JSONObject {
    guard status != 200 else { return json }
    guard let error = json["error"]?.object, let message = error["message"]?.string else { throw Self.foreign }
    let number = error["number"]?.integer.flatMap { Int(exactly: $0) } ?? 0
    let seconds = error["retryAfter"]?.double.map { Duration(seconds: max($0, 0)) }
    throw AuthError(
      AuthError.Code(rawValue: number) ?? .networkError, message.printable(upTo: 1024, escapingQuotes: false),
      retryAfter: seconds)
  }

  private static var foreign: AuthError {
    AuthError(.responseInvalid, "what listens at the socket does not answer as an agent; is the path right?")
  }
}
