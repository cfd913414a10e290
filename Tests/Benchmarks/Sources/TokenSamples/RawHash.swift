import CRaw

/// OpenSSL's password hash alone.
public enum RawHash {
  /// Hashes a short password once.
  public static func scrypt(n: Int, r: Int, p: Int) throws {
    guard raw_scrypt(UInt64(n), UInt64(r), UInt64(p), 1) == 1 else { throw SampleError("OpenSSL did not hash") }
  }
}
