import CGatehouseOpenSSL
public import GatehouseBase

/// SHA-256 by OpenSSL.
public enum SHA256 {
  /// Bytes in a digest.
  public static let length = 32

  /// The digest of some bytes, 32 bytes long. Any thread.
  public static func hash(_ bytes: [UInt8]) throws(AuthError) -> [UInt8] {
    let algorithm = try unsafe Fetched.sha256.get()
    var digest = Array(repeating: UInt8(0), count: length)
    // `unsafe`: SHA-256 writes 32 bytes, and the input has the count that is passed.
    let answer = unsafe digest.withUnsafeMutableBufferPointer { digest in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, algorithm, nil)
      }
    }
    try OpenSSL.check(answer, "SHA-256")
    return digest
  }
}
