import Foundation

/// The results of several rounds, with the bound that their median must keep.
struct AgentFigure {
  let name: String
  let rounds: [Double]
  let bound: Double
  var isMaximum = true
  var note = ""

  var median: Double { rounds.sorted()[rounds.count / 2] }
  var isKept: Bool { isMaximum ? median <= bound : median >= bound }

  var line: String {
    let shown = rounds.map { String(format: "%.2f", $0) }.joined(separator: " ")
    return String(
      format: "%@ %@: %.2f, at %@ %g   (rounds %@; %@)", isKept ? "    " : "MISS", name, median,
      isMaximum ? "most" : "least", bound, shown, note)
  }

  var json: String {
    let object: [String: Any] = [
      "name": name, "median": median, "rounds": rounds, "bound": bound, "isMaximum": isMaximum, "kept": isKept,
      "note": note,
    ]
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

/// A measurement that could not be made.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String
}
