import CoreMetrics
import GatehouseQueues

/// One label of a series.
struct Label: Hashable, Sendable {
  let name: String
  let value: String

  /// `{a="b",c="d"}`, with a value's backslashes, quotes and line breaks escaped.
  static func text(_ labels: [Label]) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\($0.escaped)\"" }.joined(separator: ",") + "}"
  }

  /// Returns a name with only the characters that Prometheus allows.
  static func name(_ text: String) -> String {
    let bytes = text.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        byte
      default: UInt8(ascii: "_")
      }
    }
    let startsWithDigit = bytes.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
    return (startsWithDigit ? "_" : "") + String(decoding: bytes, as: UTF8.self)
  }

  private var escaped: String {
    value.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n", "\r\n": text += "\\n"
      default: text.append(character)
      }
    }
  }
}

/// The values under one name and one set of labels.
protocol Series: AnyObject, Sendable {
  /// Prometheus's name of the metric type.
  static var kind: String { get }
  func lines(_ name: String, _ labels: [Label]) -> String
}

final class SumSeries: Series, CounterHandler, FloatingPointCounterHandler {
  static let kind = "counter"
  private let sum = Lock(0.0)

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { if amount > 0 { sum.withLock { $0 += amount } } }
  func reset() { sum.withLock { $0 = 0 } }
  func lines(_ name: String, _ labels: [Label]) -> String { "\(name)\(Label.text(labels)) \(sum.withLock { $0 })\n" }
}

final class LevelSeries: Series, MeterHandler, RecorderHandler {
  static let kind = "gauge"
  private let level = Lock(0.0)

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { level.withLock { $0 = value } }
  func increment(by amount: Double) { level.withLock { $0 += amount } }
  func decrement(by amount: Double) { level.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(Double(value)) }
  func record(_ value: Double) { set(value) }
  func lines(_ name: String, _ labels: [Label]) -> String { "\(name)\(Label.text(labels)) \(level.withLock { $0 })\n" }
}

final class HistogramSeries: Series, RecorderHandler, TimerHandler {
  static let kind = "histogram"
  /// The bucket bounds in seconds, from an answer out of memory to a password hash in a long queue.
  static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  private struct State {
    var counts = [UInt64](repeating: 0, count: bounds.count)
    var count: UInt64 = 0
    var sum = 0.0
  }

  private let state = Lock(State())

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    state.withLock { state in
      if let index = Self.bounds.firstIndex(where: { value <= $0 }) { state.counts[index] &+= 1 }
      state.count &+= 1
      state.sum += value
    }
  }

  func lines(_ name: String, _ labels: [Label]) -> String {
    let state = state.withLock { $0 }
    var total: UInt64 = 0
    var text = ""
    for (bound, count) in zip(Self.bounds, state.counts) {
      total &+= count
      text += "\(name)_bucket\(Label.text(labels + [Label(name: "le", value: "\(bound)")])) \(total)\n"
    }
    text += "\(name)_bucket\(Label.text(labels + [Label(name: "le", value: "+Inf")])) \(state.count)\n"
    return text + "\(name)_sum\(Label.text(labels)) \(state.sum)\n\(name)_count\(Label.text(labels)) \(state.count)\n"
  }
}
