import CGatehouseOpenSSL
public import GatehouseBase

/// Random bytes from OpenSSL: for keys, salts and tokens.
public enum RandomBytes {
  /// New random bytes; `cryptoFailed` if the generator has no entropy, never weaker ones. Any thread.
  public static func make(_ count: Int) throws(AuthError) -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = Array(repeating: UInt8(0), count: count)
    // `unsafe`: the buffer holds the count that is passed.
    let answer = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe RAND_bytes_ex(OpenSSL.context, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count, 0)
    }
    try OpenSSL.check(answer, "making random bytes")
    return bytes
  }
}
