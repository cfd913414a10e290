import FoundationEssentials
import GatehouseBase

/// A moment by the wall clock, as the protocol counts: in whole seconds and milliseconds since 1970.
struct Moment: Sendable {
  let milliseconds: Int64
  var seconds: Int64 { milliseconds / 1000 }

  /// A moment that is to come.
  init(seconds: Int64) { milliseconds = 1000 * seconds }

  /// As RFC 3339 writes it.
  var rfc3339: String { Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle()) }

  /// The same with milliseconds.
  var rfc3339Milliseconds: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Refuses a clock that shows no date between 1970 and the year 10000.
  init(_ reading: ClockReading) throws(AuthError) {
    guard reading.wall >= 0, reading.wall < 253_402_300_800 else {
      throw AuthError(.providerUnavailable, "the machine's clock shows no usable date; set it")
    }
    milliseconds = Int64(reading.wall * 1000)
  }
}
