import Foundation
import GatehouseBase

/// A time as tokens contain it, in seconds since 1970, with its description for people.
struct Moment: Sendable {
  let seconds: Double

  /// The valid times: from 1970 to the end of the year 9999.
  static let range: ClosedRange<Double> = 0...253_402_300_799

  /// `nil` for a value that is not a valid time.
  init?(_ value: JSONValue) {
    guard let seconds = value.double, Self.range.contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// `nil` for a date outside of the range.
  init?(_ date: Date) {
    guard Self.range.contains(date.timeIntervalSince1970) else { return nil }
    seconds = date.timeIntervalSince1970
  }

  /// For programs, in whole seconds.
  var json: JSONValue { .number(JSONNumber(Int64(seconds))) }

  /// The time and its distance from `now`, such as `2023-11-14 22:13:20 UTC, 3 minutes ago`.
  func text(seenAt now: Double) -> String {
    let style = Date.ISO8601FormatStyle.iso8601.year().month().day().dateTimeSeparator(.space)
      .time(includingFractionalSeconds: false)
    return "\(Date(timeIntervalSince1970: seconds).formatted(style)) UTC, \(distance(from: now))"
  }

  /// The distance from `now`, in the largest unit that fits into it at least once.
  private func distance(from now: Double) -> String {
    let span = abs(seconds - now)
    let units: [(String, Double)] = [
      ("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
    ]
    guard let (unit, length) = units.first(where: { span >= $0.1 }),
      let count = Int(exactly: (span / length).rounded(.down))
    else { return "now" }
    let words = "\(count) \(unit)\(count == 1 ? "" : "s")"
    return seconds > now ? "in \(words)" : "\(words) ago"
  }
}
