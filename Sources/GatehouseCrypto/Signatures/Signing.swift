import CGatehouseOpenSSL
public import GatehouseBase

extension PrivateKey {
  /// Signs a message. Slow: a millisecond or more with RSA; never on a queue that must stay quick.
  ///
  /// Throws `keyInvalid` if the key does not sign this way.
  public func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(AuthError) -> [UInt8] {
    guard algorithm.fits(type) else { throw AuthError(.keyInvalid, "a key of this type does not sign this way") }
    SlowWork.begins(.privateKey)
    guard let signing else { return try signEd25519(message) }

    let digest = try SHA256.hash(message)
    let context = try signing.copy()
    var signature = Array(repeating: UInt8(0), count: Int(unsafe EVP_PKEY_get_size(key.raw)))
    var count = signature.count
    // `unsafe`: both buffers hold the count that is passed.
    let answer = unsafe signature.withUnsafeMutableBufferPointer { signature in
      unsafe digest.withUnsafeBufferPointer { digest in
        unsafe EVP_PKEY_sign(context.raw, signature.baseAddress, &count, digest.baseAddress, digest.count)
      }
    }
    try OpenSSL.check(answer, "signing")
    signature = Array(signature.prefix(count))
    guard algorithm == .ecdsaP256SHA256 else { return signature }
    guard let raw = ECDSASignature.raw(fromDER: signature) else {
      throw AuthError(.cryptoFailed, "OpenSSL made an ECDSA signature that cannot be read")
    }
    return raw
  }

  private func signEd25519(_ message: [UInt8]) throws(AuthError) -> [UInt8] {
    // `unsafe`: C; the context is freed by its owner, and both buffers hold the count that is passed.
    let context = try Owned(unsafe EVP_MD_CTX_new(), "signing") { unsafe EVP_MD_CTX_free($0) }
    try OpenSSL.check(
      unsafe EVP_DigestSignInit_ex(context.raw, nil, nil, OpenSSL.context, nil, key.raw, nil), "signing")
    var signature = Array(repeating: UInt8(0), count: 64)
    var count = signature.count
    let answer = unsafe signature.withUnsafeMutableBufferPointer { signature in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestSign(context.raw, signature.baseAddress, &count, message.baseAddress, message.count)
      }
    }
    try OpenSSL.check(answer, "signing")
    return signature
  }
}
