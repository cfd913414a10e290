package import GatehouseBase

/// Reads a log back, and says where it breaks the rules of SARIF 2.1.0: as much of its schema as our logs use, and the
/// rules in its text that no schema can say.
package struct SARIFRules {
  /// What a member may be.
  private indirect enum Shape: Sendable {
    case text, uri, count(from: Int64)
    case word(Set<String>)
    case object(String), map(Shape)
    case list(Shape), set(Shape)
  }

  /// By the name of the object: its members, with `!` behind the name of a required one.
  private static let objects: [String: [String: Shape]] = [
    "sarifLog": ["$schema": .uri, "version!": .word(["2.1.0"]), "runs!": .list(.object("run"))],
    "run": [
      "tool!": .object("tool"), "originalUriBaseIds": .map(.object("artifactLocation")),
      "results": .list(.object("result")), "columnKind": .word(["utf16CodeUnits", "unicodeCodePoints"]),
    ],
    "tool": ["driver!": .object("toolComponent")],
    "toolComponent": ["name!": .text, "rules": .set(.object("reportingDescriptor"))],
    "reportingDescriptor": [
      "id!": .text, "name": .text, "shortDescription": .object("message!"), "help": .object("message!"),
      "defaultConfiguration": .object("reportingConfiguration"),
    ],
    "reportingConfiguration": ["level": level],
    "result": [
      "ruleId": .text, "ruleIndex": .count(from: 0), "level": level, "message!": .object("message"),
      "partialFingerprints": .map(.text), "stacks": .set(.object("stack")), "locations": .list(.object("location")),
      "suppressions": .set(.object("suppression")),
    ],
    "suppression": [
      "kind!": .word(["inSource", "external"]), "status": .word(["accepted", "underReview", "rejected"]),
      "justification": .text,
    ],
    "stack": ["message": .object("message"), "frames!": .list(.object("stackFrame"))],
    "stackFrame": ["location": .object("location"), "module": .text],
    "location": [
      "message": .object("message"), "logicalLocations": .set(.object("logicalLocation")),
      "physicalLocation": .object("physicalLocation"),
    ],
    "logicalLocation": ["fullyQualifiedName": .text, "kind": .text],
    "physicalLocation": ["artifactLocation": .object("artifactLocation"), "region": .object("region")],
    "artifactLocation": ["uri": .uri, "uriBaseId": .text],
    "region": ["startLine": .count(from: 1)],
    "message": ["text": .text],
    // The schema asks for the text of a description, not of every message.
    "message!": ["text!": .text],
  ]
  private static let level = Shape.word(["none", "note", "warning", "error"])

  private var faults: [String] = []

  /// - Returns: what is wrong, one line each.
  package static func faults(in log: JSONValue) -> [String] {
    var rules = SARIFRules()
    rules.read(log, .object("sarifLog"), "log")
    for run in log["runs"]?.array ?? [] { rules.readReferences(run) }
    return rules.faults
  }

  private mutating func read(_ value: JSONValue, _ shape: Shape, _ place: String) {
    let isRight: Bool
    switch shape {
    case .text: isRight = value.string != nil
    case .uri: isRight = value.string?.utf8.allSatisfy(Self.isOfURI) == true
    case .count(let least): isRight = value.integer.map { $0 >= least } ?? false
    case .word(let words): isRight = value.string.map(words.contains) ?? false
    case .object(let kind): isRight = value.object.map { readMembers($0, of: kind, place) } != nil
    case .map(let shape):
      isRight = value.object != nil
      for member in value.object?.members ?? [] { read(member.value, shape, "\(place).\(member.name)") }
    case .list(let shape):
      isRight = value.array != nil
      for (index, value) in (value.array ?? []).enumerated() { read(value, shape, "\(place)[\(index)]") }
    case .set(let shape):
      read(value, .list(shape), place)
      isRight = value.array.map { Set($0).count == $0.count } ?? true
    }
    if !isRight { faults.append("\(place) is wrong") }
  }

  private mutating func readMembers(_ object: JSONObject, of kind: String, _ place: String) {
    let known = Self.objects[kind] ?? [:]
    for member in object.members {
      if let shape = known[member.name] ?? known[member.name + "!"] {
        read(member.value, shape, "\(place).\(member.name)")
      } else {
        faults.append("\(place).\(member.name) is unknown")
      }
    }
    for name in known.keys.sorted() where name.hasSuffix("!") && object[String(name.dropLast())] == nil {
      faults.append("\(place) has no \(name.dropLast())")
    }
  }

  /// A result's rule is the one at its index, each base is defined, and a base ends in a slash.
  private mutating func readReferences(_ run: JSONValue) {
    let rules = run["tool"]?["driver"]?["rules"]?.array ?? []
    let bases = run["originalUriBaseIds"]?.object ?? [:]
    for base in bases.members where base.value["uri"]?.string?.hasSuffix("/") != true {
      faults.append("the base \(base.name) does not end in a slash")
    }
    for (index, result) in (run["results"]?.array ?? []).enumerated() {
      let rule = result["ruleIndex"]?.integer.flatMap { Int(exactly: $0) }
      if let rule, !rules.indices.contains(rule) || rules[rule]["id"] != result["ruleId"] {
        faults.append("result \(index) has the index of another rule")
      }
      for base in Self.bases(in: result) where bases[base] == nil {
        faults.append("result \(index) has the unknown base \(base)")
      }
    }
  }

  private static func bases(in value: JSONValue) -> [String] {
    let own = value["uriBaseId"]?.string.map { [$0] } ?? []
    let inner = (value.object?.members.map(\.value) ?? []) + (value.array ?? [])
    return own + inner.flatMap(bases)
  }

  /// RFC 3986: what is neither reserved nor unreserved must be escaped.
  private static func isOfURI(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }
  }
}
