/// The cost of a password hash: scrypt's parameters (RFC 7914).
///
/// A hash keeps the cost that it was made with until its user signs in, and is then replaced by one of the current cost.
public struct PasswordCost: Sendable, Hashable {
  /// The CPU and memory cost, a power of two.
  public var n: Int
  /// The block size: a hash needs `128 * n * r` bytes of memory.
  public var r: Int
  /// The parallelization: the number of repetitions.
  public var p: Int

  /// Makes a cost. An impossible one is refused by the first call.
  public init(n: Int, r: Int, p: Int) {
    self.n = n
    self.r = r
    self.p = p
  }

  /// N = 32768, r = 8, p = 3: 32 MiB of memory, and a few tenths of a second of one core. OWASP's password storage
  /// cheat sheet lists it among settings of equal strength; this one uses less memory, for small machines.
  public static let standard = PasswordCost(n: 32768, r: 8, p: 3)

  /// N = 16, r = 1, p = 1: microseconds. For tests; it gives no protection.
  public static let uncheckedForTests = PasswordCost(n: 16, r: 1, p: 1)

  /// Whether these are parameters of scrypt.
  var isValid: Bool { n > 1 && n <= 1 << 24 && n & (n - 1) == 0 && (1...64).contains(r) && (1...64).contains(p) }

  /// Whether hashes of this cost can be made here.
  var isUsable: Bool { isValid && HashWork(self).isAllowed }
}
