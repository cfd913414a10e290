import CGatehouseOpenSSL
package import GatehouseBase

/// Computes SHA-256 fingerprints of many byte strings. OpenSSL's state is set up once per thread.
///
/// Usable from any thread. No thread waits for another, and nothing is allocated after a thread's first call.
package struct SHA256Fingerprints: Sendable {
  private let workspaces = Workspaces { () throws(AuthError) in try HashWorkspace() }

  package init() {}

  /// The digest of a prefix followed by other bytes.
  package func fingerprint(
    _ prefix: Span<UInt8>, _ bytes: Span<UInt8>
  ) throws(AuthError) -> SHA256Fingerprint {
    try workspaces.withOne { workspace throws(AuthError) in try workspace.digest(prefix, bytes) }
  }
}

/// A SHA-256 digest as a value, without heap memory.
package struct SHA256Fingerprint: Sendable, Hashable {
  /// The digest's words, in memory order.
  let words: (UInt64, UInt64, UInt64, UInt64)

  package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Hashes one word. That is enough, because a digest's bits are as good as random.
  package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

  /// Some of the bits, to distribute digests over buckets.
  package var bits: Int { Int(truncatingIfNeeded: words.1 >> 1) }
}

/// For one thread at a time. `@safe`: only this object has the context that it frees.
@safe
private final class HashWorkspace {
  private let context: OpaquePointer
  private let algorithm: OpaquePointer

  init() throws(AuthError) {
    // `unsafe`: C; the context is freed by this object. The algorithm is never freed.
    unsafe algorithm = try Fetched.sha256.get()
    guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSL.failure("hashing") }
    unsafe self.context = context
  }

  func digest(_ prefix: Span<UInt8>, _ bytes: Span<UInt8>) throws(AuthError) -> SHA256Fingerprint {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    // `unsafe`: SHA-256 writes 32 bytes, and both inputs have the lengths that are passed.
    let isDone = unsafe prefix.withUnsafeBytes { prefix in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe withUnsafeMutableBytes(of: &words) { words in
          let digest = unsafe words.baseAddress?.assumingMemoryBound(to: UInt8.self)
          return unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1
            && EVP_DigestUpdate(context, prefix.baseAddress, prefix.count) == 1
            && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
            && EVP_DigestFinal_ex(context, digest, nil) == 1
        }
      }
    }
    guard isDone else { throw OpenSSL.failure("hashing") }
    return SHA256Fingerprint(words: words)
  }

  deinit { unsafe EVP_MD_CTX_free(context) }
}
