import GatehouseBase
import TestSupport

extension JSONValue {
  /// The bytes that a member spells in hexadecimal.
  func hex(_ name: String) -> [UInt8] { bytes(hex: self[name]?.string ?? "") }

  /// What one of Wycheproof's tests asks for: `valid`, `invalid` or `acceptable`.
  var result: String { self["result"]?.string ?? "" }

  var tests: [JSONValue] { self["tests"]?.array ?? [] }

  var id: Int64 { self["tcId"]?.integer ?? 0 }
}
