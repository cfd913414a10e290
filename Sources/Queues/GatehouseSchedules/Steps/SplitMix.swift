/// Pseudorandom numbers, the same for the same seed.
package struct SplitMix: RandomNumberGenerator, Sendable {
  private var counter: UInt64

  package init(_ seed: UInt64) { counter = seed }

  package mutating func next() -> UInt64 {
    counter &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(counter)
  }

  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  package static func mixed(_ number: UInt64) -> UInt64 {
    var bits = number
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
