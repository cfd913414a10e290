import Foundation
import GatehouseBase
import Testing

/// The characters that a new name must not have.
struct DeceptionsTests {
  private static let assigned = (0...0x10FFFF).compactMap { Unicode.Scalar(UInt32($0)) }.filter {
    $0.properties.generalCategory != .unassigned && $0.properties.generalCategory != .privateUse
  }

  /// By the decompositions of UnicodeData.txt, read by another program.
  @Test(arguments: [
    (0xA0, true), (0xAA, true), (0xAC, false), (0xB2, true), (0xB5, true), (0xB6, false), (0x149, true),
    (0x17F, true), (0x1C4, true), (0x1CD, false), (0xE33, true), (0xE32, false), (0x2024, true), (0x2027, false),
    (0x212B, false), (0x2160, true), (0x217F, true), (0x2180, false), (0x24EA, true), (0x24EB, false),
    (0x3131, true), (0xAC00, false), (0xFB00, true), (0xFB06, true), (0xFB07, false), (0xFF21, true),
    (0x1D400, true), (0x1D455, false), (0x1D7FF, true), (0x1D800, false), (0x1FBF9, true), (0x1FBFA, false),
    (0x41, false), (0xE4, false), (0x10FFFF, false),
  ])
  func `a compatibility character is known`(value: UInt32, isOne: Bool) throws {
    #expect(try #require(Unicode.Scalar(value)).isCompatibility == isOne)
  }

  @Test func `every character that Foundation's NFKC replaces, and its NFC keeps, is a compatibility character`() {
    var count = 0
    for scalar in Self.assigned {
      let text = String(scalar)
      let form = Array(text.precomposedStringWithCompatibilityMapping.unicodeScalars)
      guard form != [scalar], Array(text.precomposedStringWithCanonicalMapping.unicodeScalars) == [scalar] else {
        continue
      }
      count += 1
      #expect(scalar.isCompatibility, "U+\(String(scalar.value, radix: 16))")
    }
    #expect(count > 3_500)
  }

  @Test func `a character of another width is a compatibility character, and no ASCII is`() {
    #expect(Self.assigned.allSatisfy { $0.widthMapped == $0 || $0.isCompatibility })
    #expect(Self.assigned.allSatisfy { $0.isASCII ? !$0.isCompatibility : true })
  }

  @Test func `ASCII that prints is allowed, a control and a space are not`() {
    for value in UInt8.min...0x7F {
      #expect((Unicode.Scalar(value).deception == nil) == (0x21...0x7E).contains(value))
    }
  }

  @Test func `the reason has the character's number, in four digits or more`() throws {
    #expect(Unicode.Scalar(0x20).deception == "U+0020 is a space")
    #expect(Unicode.Scalar(0x7F).deception == "U+007F is a control character")
    #expect(try #require(Unicode.Scalar(UInt32(0x1D400))).deception?.hasPrefix("U+1D400 is a comp") == true)
  }
}
