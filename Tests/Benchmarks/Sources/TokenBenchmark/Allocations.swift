import CRaw
import TokenSamples

/// Calls of `malloc` and its kin on this thread, those that OpenSSL makes for itself left out.
enum Allocations {
  /// Before anything touches OpenSSL. Throws if the count would count the wrong things.
  static func prepare() throws {
    guard raw_allocations_leave_out_openssl() == 1 else {
      throw SampleError("OpenSSL was in use before its allocations could be told from ours")
    }
  }

  /// Throws unless ten arrays of ours count ten, and a key pair of OpenSSL's nothing.
  static func check() throws {
    _ = try RawKey(.ES256)  // OpenSSL reads its settings through the C library, once
    var arrays: [[UInt8]] = []
    arrays.reserveCapacity(10)
    let ours = counting { for length in 1...10 { arrays.append([UInt8](repeating: 0, count: 100 * length)) } }
    let others = try counting { _ = try RawKey(.ES256) }
    // One is the key's place in the raw loops, which OpenSSL does not allocate.
    guard ours == 10, arrays.count == 10, others == 1 else {
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
    raw_allocations_begin()
    defer { raw_allocations_end() }
    try body()
    return raw_allocations_seen()
  }
}
