package import GatehouseBase

extension WaitReport {
  /// The whole report as one JSON object in UTF-8. Its members have the names of this type's properties.
  public func json() -> [UInt8] { object.serialized() }

  /// The report as a JSON value.
  package var object: JSONObject {
    func frames(_ frames: [Frame]) -> JSONValue {
      .array(
        frames.map {
          var object: JSONObject = ["function": .string($0.function), "image": .string($0.image)]
          object["file"] = $0.file.map { .string($0) }
          object["line"] = $0.line.map { .number(JSONNumber($0)) }
          return .object(object)
        })
    }
    let waits = waits.map { wait in
      var object: JSONObject = [
        "held": .string(wait.held), "heldSite": .string(wait.heldSite), "heldAt": frames(wait.heldAt),
        "asked": .string(wait.asked), "askedSite": .string(wait.askedSite), "askedAt": frames(wait.askedAt),
        "thread": .number(JSONNumber(Int(wait.thread))),
      ]
      object["signal"] = wait.signal.map { .string($0) }
      return JSONValue.object(object)
    }
    return [
      "kind": .string(kind.rawValue), "isNote": .bool(isNote), "name": .string(name), "summary": .string(summary),
      "waits": .array(waits),
      "rule": .string(rule),
    ]
  }
}
