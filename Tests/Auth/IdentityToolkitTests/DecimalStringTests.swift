import Foundation
import IdentityToolkit
import Testing

struct DecimalStringTests {
  private func decode(_ json: String) throws -> Int64 {
    try JSONDecoder().decode(DecimalString.self, from: Data(json.utf8)).value
  }

  @Test(arguments: [
    (#""3600""#, 3600), ("3600", 3600), (#""0""#, 0), (#""-1""#, -1), ("-1", -1),
    (#""1763686879123""#, 1_763_686_879_123),
    (#""9223372036854775807""#, Int64.max), ("9223372036854775807", Int64.max), (#""-9223372036854775808""#, Int64.min),
  ])
  func `a whole number is read from a string and from a number`(_ json: String, _ value: Int64) throws {
    #expect(try decode(json) == value)
  }

  @Test(arguments: [
    #""""#, #""abc""#, #""1.5""#, "1.5", #""1e3""#, #"" 1""#, #""1 ""#, #""0x10""#, #""9223372036854775808""#,
    "9223372036854775808", "1e30", #""١""#, "true", "null", "[]", "{}",
  ])
  func `anything else is refused`(_ json: String) {
    #expect(throws: DecodingError.self) { try decode(json) }
  }

  @Test(arguments: [
    (Duration.seconds(3600), Int64(3600)), (.milliseconds(1999), 1), (.milliseconds(-1999), -1),
    (.seconds(Int64.max), .max),
    (.seconds(1e20), .max), (.seconds(-1e20), .min),
  ])
  func `a duration is its whole seconds, clamped`(_ duration: Duration, _ seconds: Int64) {
    #expect(DecimalString(secondsOf: duration).value == seconds)
  }

  @Test(arguments: [0, 3600, -1, Int64.max, Int64.min])
  func `it is written as a string`(_ value: Int64) throws {
    #expect(try JSONEncoder().encode(DecimalString(value)) == Data("\"\(value)\"".utf8))
  }
}
