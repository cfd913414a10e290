import CAllocations
import TokenSamples

/// Calls of `malloc` and its kin on this thread, those that OpenSSL makes for itself left out.
enum Allocations {
  /// Before anything touches OpenSSL. Throws if the count would count the wrong things.
  static func prepare() throws {
    guard allocations_leave_out_openssl() == 1 else {
      throw SampleError("OpenSSL was in use before its allocations could be told from ours")
    }
  }

  /// Throws unless ten arrays of ours count ten, and a key pair of OpenSSL's nothing.
  static func check() throws {
    var arrays: [[UInt8]] = []
    arrays.reserveCapacity(20)
    func ten() { for length in 1...10 { arrays.append([UInt8](repeating: 0, count: 100 * length)) } }
    func key() throws { _ = try RawKey(.ES256) }
    // First once without the count: the runtime makes tables, and OpenSSL reads its settings through the C library.
    ten()
    try key()
    let ours = counting(ten)
    let others = try counting(key)
    // One is the key's place in the raw loops, which OpenSSL does not allocate.
    guard ours == 10, arrays.count == 20, others == 1 else {
      throw SampleError("the count of allocations is wrong: \(ours) for ten arrays, \(others) for a key of OpenSSL's")
    }
  }

  /// How many one operation makes, once all that is made only once is there.
  static func perOperation(_ body: (Int) throws -> Void) throws -> Double {
    let count = 1_000
    try body(count)
    return Double(try counting { try body(count) }) / Double(count)
  }

  private static func counting(_ body: () throws -> Void) rethrows -> UInt64 {
    allocations_begin()
    defer { allocations_end() }
    try body()
    return allocations_seen()
  }
}
