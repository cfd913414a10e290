import Foundation

/// One line of the table: what was measured, and what must be reached.
struct Figure {
  /// What a figure is held against.
  enum Bound {
    case atLeast(Double)
    case atMost(Double)
  }

  let name: String
  /// `nil` if it was not measured; `detail` says why.
  let value: Double?
  let bound: Bound
  /// The absolute figures behind it.
  let detail: String

  var isReached: Bool? {
    guard let value else { return nil }
    switch bound {
    case .atLeast(let bound): return value >= bound
    case .atMost(let bound): return value <= bound
    }
  }
}

extension Figure: CustomStringConvertible {
  /// The line as people read it.
  var description: String {
    let reached = isReached.map { $0 ? "reached" : "MISSED" } ?? "not measured"
    return [
      name.padded(to: 58), (value.map(Self.text) ?? "-").padded(to: 8), mustReach.padded(to: 8), reached.padded(to: 13),
      detail,
    ].joined(separator: " ")
  }

  private var mustReach: String {
    switch bound {
    case .atLeast(let bound): "≥ " + Self.text(bound)
    case .atMost(let bound): "≤ " + Self.text(bound)
    }
  }

  private static func text(_ number: Double) -> String {
    number == number.rounded() && number >= 1 ? String(format: "%.0f", number) : String(format: "%.3f", number)
  }
}

extension Figure: Encodable {
  private enum Key: String, CodingKey { case name, value, atLeast, atMost, reached, detail }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Key.self)
    try members.encode(name, forKey: .name)
    try members.encode(value, forKey: .value)
    switch bound {
    case .atLeast(let bound): try members.encode(bound, forKey: .atLeast)
    case .atMost(let bound): try members.encode(bound, forKey: .atMost)
    }
    try members.encode(isReached, forKey: .reached)
    try members.encode(detail, forKey: .detail)
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
