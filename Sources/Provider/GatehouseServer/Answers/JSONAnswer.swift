import GatehouseBase

extension ServerResponse {
  /// Makes a JSON answer that caches must not store.
  init(status: Int = 200, json: JSONObject) {
    self.init(status: status, jsonBytes: JSONValue.object(json).serialized())
  }

  init(status: Int = 200, jsonBytes: [UInt8]) {
    self.init(
      status: status, headers: ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"],
      body: jsonBytes)
  }

  /// Makes the answer to a call, with additional members.
  init(_ answer: some Encodable, kind: String? = nil, adding more: [String: JSONValue] = [:]) throws {
    var json = try JSONObject(encoding: answer)
    for (name, value) in more { json[name] = value }
    json["kind"] = kind.map(JSONValue.string)
    self.init(json: json)
  }
}
