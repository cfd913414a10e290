import GatehouseBase
import Testing

struct RandomSourceTests {
  private struct Constant: RandomSource {
    let value: UInt64
    func next() -> UInt64 { value }
  }

  @Test func `a unit is from 0 up to 1, 1 excluded`() {
    #expect(Constant(value: 0).unit() == 0)
    #expect(Constant(value: .max).unit() < 1)
    #expect(Constant(value: .max).unit() > 0.999_999)
    #expect(Constant(value: 1 << 63).unit() == 0.5)
  }

  @Test func `an identifier is 32 hexadecimal digits, small numbers included`() {
    #expect(Constant(value: 10).identifier() == "000000000000000a000000000000000a")
    #expect(Constant(value: .max).identifier() == String(repeating: "f", count: 32))
  }

  @Test func `the system's identifiers are not made twice`() {
    #expect(Set((0..<1000).map { _ in SystemRandomSource().identifier() }).count == 1000)
  }
}
