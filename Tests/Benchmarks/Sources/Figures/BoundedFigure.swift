import Foundation

/// The measurements of several rounds, with the bound that their median must keep, if there is one.
package struct BoundedFigure: Sendable {
  private let name: String
  private let rounds: [Double]
  private let bound: Double?
  private let isMaximum: Bool
  private let note: String

  package init(_ name: String, _ rounds: [Double], atLeast bound: Double, _ note: String = "") {
    (self.name, self.rounds, self.bound, isMaximum, self.note) = (name, rounds, bound, false, note)
  }

  package init(_ name: String, _ rounds: [Double], atMost bound: Double, _ note: String = "") {
    (self.name, self.rounds, self.bound, isMaximum, self.note) = (name, rounds, bound, true, note)
  }

  /// A figure without a bound, for people to read beside another one.
  package init(_ name: String, _ rounds: [Double], _ note: String) {
    (self.name, self.rounds, bound, isMaximum, self.note) = (name, rounds, nil, true, note)
  }

  private var median: Double { rounds.sorted()[rounds.count / 2] }
  package var isKept: Bool { bound.map { isMaximum ? median <= $0 : median >= $0 } ?? true }

  package var line: String {
    let shown = rounds.map { String(format: "%.2f", $0) }.joined(separator: " ")
    let required = bound.map { String(format: "at %@ %g", isMaximum ? "most" : "least", $0) } ?? "no bound"
    return String(
      format: "%@ %@: %.2f, %@   (rounds %@%@)", isKept ? "    " : "MISS", name, median, required, shown,
      note.isEmpty ? "" : "; " + note)
  }

  package var json: String {
    var object: [String: Any] = ["name": name, "median": median, "rounds": rounds, "kept": isKept, "note": note]
    if let bound { (object["bound"], object["isMaximum"]) = (bound, isMaximum) }
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}
