import FoundationEssentials
import GatehouseBase

extension ServerResponse {
  /// An answer that is JSON, and that no cache keeps.
  init(status: Int = 200, json: JSONObject) {
    self.init(status: status, jsonBytes: JSONValue.object(json).serialized())
  }

  init(status: Int = 200, jsonBytes: [UInt8]) {
    self.init(
      status: status, headers: ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"],
      body: jsonBytes)
  }

  /// The answer to a call, with further members beside its own.
  init<Answer: Encodable>(_ answer: Answer, kind: String? = nil, adding more: [String: JSONValue] = [:]) throws {
    var more = more
    more["kind"] = kind.map(JSONValue.string)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    self.init(jsonBytes: Array(try encoder.encode(Extended(answer: answer, more: more))))
  }
}

/// An answer with further members.
private struct Extended<Answer: Encodable>: Encodable {
  let answer: Answer
  let more: [String: JSONValue]

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Name.self)
    for (name, value) in more { try members.encode(value, forKey: Name(stringValue: name)) }
    try answer.encode(to: encoder)
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
