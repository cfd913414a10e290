import CGatehouseOpenSSL
import GatehouseBase

/// Random bytes from OpenSSL: for keys, salts and tokens.
public enum RandomBytes {
  /// The maximum number of bytes per call: 16 MiB.
  public static let maximumCount = 16 << 20

  /// Makes random bytes. Throws `cryptoFailed` if the generator has no entropy: weak ones are never returned. Usable
  /// from any thread.
  ///
  /// Throws `invalidArgument` for a negative count and for more than `maximumCount`.
  public static func make(_ count: Int) throws -> [UInt8] { try bytes(count) }

  package static func bytes(_ count: Int) throws(AuthError) -> [UInt8] {
    guard (0...maximumCount).contains(count) else {
      throw AuthError(.invalidArgument, "from 0 to \(maximumCount) random bytes can be made at once, not \(count)")
    }
    guard count > 0 else { return [] }
    var bytes = Array(repeating: UInt8(0), count: count)
    // `unsafe`: the buffer has the length that is passed.
    let answer = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe RAND_bytes_ex(OpenSSL.context, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count, 0)
    }
    try OpenSSL.check(answer, "making random bytes")
    return bytes
  }
}
