import Foundation
import GatehouseBase

/// What a worker tells before and after each operation, a line each, through a pipe: a kill loses nothing of it.
enum Journal {
  /// An operation on one account, which belongs to one task of the worker.
  struct Entry: Sendable {
    enum Kind: String, Sendable { case begins, ends, refused }

    let kind: Kind
    let operation: String
    /// Names the account: its address is `NAME@example.com`.
    let account: String
    /// What the operation is given or answers, by name.
    let values: [String: String]
  }

  static func write(_ entry: Entry) {
    var json: JSONObject = [
      "kind": .string(entry.kind.rawValue), "operation": .string(entry.operation), "account": .string(entry.account),
    ]
    for (name, value) in entry.values { json[name] = .string(value) }
    // One write: lines of several tasks do not mix.
    try? FileHandle.standardOutput.write(contentsOf: Data("\(json)\n".utf8))
  }

  /// The entries of whole lines: the last one may be cut.
  static func entries(_ bytes: Data) -> [Entry] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let json = try? JSONObject(parsing: line), let kind = json["kind"]?.string.flatMap(Entry.Kind.init),
        let operation = json["operation"]?.string, let account = json["account"]?.string
      else { return nil }
      var values: [String: String] = [:]
      for member in json.members { values[member.name] = member.value.string }
      return Entry(kind: kind, operation: operation, account: account, values: values)
    }
  }
}

/// Numbers that follow from a seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
