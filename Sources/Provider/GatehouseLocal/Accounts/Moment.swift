import FoundationEssentials
import GatehouseBase

/// A time of the wall clock, as the protocol counts it: in whole seconds and milliseconds since 1970.
struct Moment: Sendable {
  let milliseconds: Int64
  /// The reading of the boot clock, in seconds since the machine started; `nil` for a moment that was not read from
  /// the clocks.
  let boot: Double?
  var seconds: Int64 { milliseconds / 1000 }

  /// Makes a future moment.
  init(seconds: Int64) {
    milliseconds = 1000 * seconds
    boot = nil
  }

  /// The moment in RFC 3339 format.
  var rfc3339: String {
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    // A formatter takes longer than the rest of a look-up. It is used only outside the years 1970 to 9999.
    guard (0..<2_932_897).contains(days), second >= 0 else {
      return Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle())
    }
    // Years begin in March, in eras of 400 years (Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = days + 719_468, ofEra = shifted % 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100), march = (5 * ofYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = shifted / 146_097 * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    var text: [UInt8] = []
    text.reserveCapacity(20)
    func write(_ number: Int64, upTo first: Int64, _ end: Unicode.Scalar) {
      var place = first
      while place > 0 {
        text.append(UInt8(ascii: "0") + UInt8(number / place % 10))
        place /= 10
      }
      text.append(UInt8(ascii: end))
    }
    write(year, upTo: 1000, "-")
    write(month, upTo: 10, "-")
    write(ofYear - (153 * march + 2) / 5 + 1, upTo: 10, "T")
    write(second / 3600, upTo: 10, ":")
    write(second / 60 % 60, upTo: 10, ":")
    write(second % 60, upTo: 10, "Z")
    return String(decoding: text, as: UTF8.self)
  }

  /// The moment in RFC 3339 format, with milliseconds.
  var rfc3339Milliseconds: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Makes the moment of a clock reading. Refuses one that is not between 1970 and the year 10000.
  init(_ reading: ClockReading) throws(AuthError) {
    guard reading.wall >= 0, reading.wall < 253_402_300_800 else {
      throw AuthError(.providerUnavailable, "the machine's clock shows no usable date; set it")
    }
    milliseconds = Int64(reading.wall * 1000)
    boot = reading.boot
  }
}
