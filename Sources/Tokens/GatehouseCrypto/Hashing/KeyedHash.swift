import CGatehouseOpenSSL
import GatehouseBase

/// HMAC (RFC 2104) in one call, implemented by OpenSSL.
enum KeyedHash {
  /// The tag over the concatenated parts.
  ///
  /// - Parameters:
  ///   - digest: OpenSSL's name of the hash function.
  ///   - length: the length of its digest, in bytes.
  static func tag(
    of parts: [[UInt8]], key: SecretBytes, digest: String, length: Int
  ) throws(AuthError) -> [UInt8] {
    let algorithm = try unsafe Fetched.hmac.get()
    // `unsafe`: C; the context is freed by its owner, and each buffer has the length that is passed.
    let context = try Owned(unsafe EVP_MAC_CTX_new(algorithm), "HMAC") { unsafe EVP_MAC_CTX_free($0) }
    var list = ParameterList()
    list.add(OSSL_MAC_PARAM_DIGEST, text: digest)
    let begun = key.withBytes { key in
      list.withList { list in
        unsafe key.withUnsafeBufferPointer { unsafe EVP_MAC_init(context.raw, $0.baseAddress, $0.count, list) }
      }
    }
    try OpenSSL.check(begun, "HMAC")
    for part in parts {
      let answer = unsafe part.withUnsafeBufferPointer { unsafe EVP_MAC_update(context.raw, $0.baseAddress, $0.count) }
      try OpenSSL.check(answer, "HMAC")
    }
    var tag = Array(repeating: UInt8(0), count: length)
    var count = 0
    let ended = unsafe tag.withUnsafeMutableBufferPointer {
      unsafe EVP_MAC_final(context.raw, $0.baseAddress, &count, $0.count)
    }
    try OpenSSL.check(ended, "HMAC")
    return tag
  }
}
