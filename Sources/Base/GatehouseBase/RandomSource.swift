/// A source of random numbers for jitter and identifiers. Never used for keys: those come from OpenSSL.
///
/// Called on any thread but the work queue's.
public protocol RandomSource: Sendable {
  /// Returns the next 64 random bits.
  func next() -> UInt64
}

extension RandomSource {
  /// A number in the range 0..<1.
  package func unit() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }

  /// Returns a random identifier of 128 bits in hexadecimal, unique across machines.
  package func identifier() -> String {
    let text = [next(), next()].map { String($0, radix: 16) }
    return text.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
  }
}

/// The operating system's random numbers.
public struct SystemRandomSource: RandomSource {
  /// Creates a source; all are equivalent.
  public init() {}

  /// Returns the next 64 random bits.
  public func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
