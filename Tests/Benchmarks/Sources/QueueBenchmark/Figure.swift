import Foundation

/// A figure with the bound that it must keep.
struct Figure {
  let name: String
  let value: Double
  let bound: Double
  let unit: String
  let note: String

  init(_ name: String, _ value: Double, atMost bound: Double, _ unit: String = "", _ note: String = "") {
    self.name = name
    self.value = value
    self.bound = bound
    self.unit = unit
    self.note = note
  }

  var isKept: Bool { value <= bound }

  var line: String {
    let shown = String(format: "%.2f%@", value, unit.isEmpty ? "" : " " + unit)
    let limit = String(format: "%g%@", bound, unit.isEmpty ? "" : " " + unit)
    return "\(isKept ? "    " : "OVER") \(name): \(shown), at most \(limit)\(note.isEmpty ? "" : "   (\(note))")"
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

extension Duration {
  var inMicroseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12 }
}
