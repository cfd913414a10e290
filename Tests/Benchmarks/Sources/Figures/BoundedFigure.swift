import Foundation

/// The measurements of several rounds, with the bound that their median must keep.
package struct BoundedFigure: Sendable {
  private let name: String
  private let rounds: [Double]
  private let bound: Double
  private let isMaximum: Bool
  private let note: String

  package init(_ name: String, _ rounds: [Double], atLeast bound: Double, _ note: String = "") {
    (self.name, self.rounds, self.bound, isMaximum, self.note) = (name, rounds, bound, false, note)
  }

  package init(_ name: String, _ rounds: [Double], atMost bound: Double, _ note: String = "") {
    (self.name, self.rounds, self.bound, isMaximum, self.note) = (name, rounds, bound, true, note)
  }

  private var median: Double { rounds.sorted()[rounds.count / 2] }
  package var isKept: Bool { isMaximum ? median <= bound : median >= bound }

  package var line: String {
    let shown = rounds.map { String(format: "%.2f", $0) }.joined(separator: " ")
    return String(
      format: "%@ %@: %.2f, at %@ %g   (rounds %@%@)", isKept ? "    " : "MISS", name, median,
      isMaximum ? "most" : "least", bound, shown, note.isEmpty ? "" : "; " + note)
  }

  package var json: String {
    let object: [String: Any] = [
      "name": name, "median": median, "rounds": rounds, "bound": bound, "isMaximum": isMaximum, "kept": isKept,
      "note": note,
    ]
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}
