import CGatehouseOpenSSL
package import GatehouseBase

/// SHA-1, by OpenSSL: for look-ups in published lists. It protects nothing.
package enum LegacyHash {
  /// The digest of some bytes, 20 bytes long. Any thread.
  package static func sha1(_ bytes: [UInt8]) throws(AuthError) -> [UInt8] {
    var digest = Array(repeating: UInt8(0), count: 20)
    // `unsafe`: the digest has as many bytes as this function writes, and the input the count that is passed.
    let answer = unsafe digest.withUnsafeMutableBufferPointer { digest in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe EVP_Q_digest(nil, "SHA1", nil, bytes.baseAddress, bytes.count, digest.baseAddress, nil)
      }
    }
    try OpenSSL.check(answer, "hashing")
    return digest
  }
}
