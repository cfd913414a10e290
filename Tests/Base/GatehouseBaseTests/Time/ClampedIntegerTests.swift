import GatehouseBase
import Testing

struct ClampedIntegerTests {
  static let numbers = [
    Double.nan, .signalingNaN, .infinity, -.infinity, 1e300, -1e300, 9.3e18, -9.3e18, 1e18, 0, -0.0, 0.5, -0.5,
    .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ]

  @Test(arguments: numbers)
  func `an integer is made of any number`(_ number: Double) {
    let (signed, unsigned, small) = (Int64(clamping: number), UInt64(clamping: number), Int8(clamping: number))
    if number.isNaN {
      #expect(signed == 0 && unsigned == 0 && small == 0)
    } else if abs(number) < 100 {
      #expect(signed == Int64(number) && small == Int8(number))
    } else {
      #expect((signed > 0) == (number > 0) && (unsigned > 0) == (number > 0) && (small > 0) == (number > 0))
    }
    if number > 1e19 { #expect(signed == .max && unsigned == .max && small == .max) }
    if number < -1e19 { #expect(signed == .min && unsigned == 0 && small == .min) }
  }
}
