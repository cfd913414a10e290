import GatehouseBase
import TestSupport

extension JSONValue {
  /// The bytes of a hexadecimal member.
  func hex(_ name: String) -> [UInt8] { bytes(hex: self[name]?.string ?? "") }

  /// The expected result of a Wycheproof test: `valid`, `invalid` or `acceptable`.
  var result: String { self["result"]?.string ?? "" }

  var tests: [JSONValue] { self["tests"]?.array ?? [] }

  var id: Int64 { self["tcId"]?.integer ?? 0 }
}
