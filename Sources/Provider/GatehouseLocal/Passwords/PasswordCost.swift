import GatehouseCrypto

/// What a password hash costs: scrypt's parameters (RFC 7914).
///
/// A hash keeps the cost it was made with, so that changing this changes only passwords set from then on.
public struct PasswordCost: Sendable, Hashable {
  /// How much memory and time: a power of two.
  public var n: Int
  /// The block size: a hash needs `128 * n * r` bytes of memory.
  public var r: Int
  /// How many times over.
  public var p: Int

  /// Makes a cost. One that no hash can have is refused by the first call.
  public init(n: Int, r: Int, p: Int) {
    self.n = n
    self.r = r
    self.p = p
  }

  /// N = 32768, r = 8, p = 3: 32 MiB of memory, and a few tenths of a second of one core. One of the settings that
  /// OWASP's password storage cheat sheet gives as equal in strength; this one spares a small machine's memory.
  public static let standard = PasswordCost(n: 32768, r: 8, p: 3)

  /// N = 16, r = 1, p = 1: microseconds. For tests; no protection at all.
  public static let uncheckedForTests = PasswordCost(n: 16, r: 1, p: 1)

  /// Whether a hash of this cost can be made here.
  var isUsable: Bool {
    guard n > 1, n <= 1 << 24, n & (n - 1) == 0, (1...64).contains(r), (1...64).contains(p) else { return false }
    return 128 * r * (n + p + 2) <= Scrypt.maximumMemory
  }
}
