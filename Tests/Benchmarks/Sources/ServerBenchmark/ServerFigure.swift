import Foundation

/// What was measured in several rounds, with the bound that its median must keep.
struct ServerFigure {
  let name: String
  let rounds: [Double]
  let bound: Double
  var isMaximum = false
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
