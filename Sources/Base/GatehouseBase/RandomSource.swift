/// The source of jitter and identifiers. Never used for keys: those come from OpenSSL.
///
/// Called on any thread, never on the work queue.
public protocol RandomSource: Sendable {
  /// The next 64 random bits.
  func next() -> UInt64
}

extension RandomSource {
  /// A number from 0 up to 1, 1 excluded.
  package func unit() -> Double { Double(next() >> 11) / Double(UInt64(1) << 53) }

  /// 128 bits in hexadecimal: an identifier that two machines do not make twice.
  package func identifier() -> String {
    let text = [next(), next()].map { String($0, radix: 16) }
    return text.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
  }
}

/// The operating system's random numbers.
public struct SystemRandomSource: RandomSource {
  /// Makes a source; all are alike.
  public init() {}

  /// The next 64 random bits.
  public func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
