import CGatehouseOpenSSL
public import GatehouseBase

extension PublicKey {
  /// How long a signature of this key is, in bytes.
  public var signatureLength: Int {
    switch parameters {
    case .rsa(let modulus, _): modulus.count
    case .p256: ECDSASignature.rawLength
    case .ed25519: 64
    }
  }

  /// Whether this is the signature of a message: yes, no, or `cryptoFailed` when OpenSSL could not tell.
  ///
  /// Throws `keyInvalid` if the key does not sign this way. Any thread.
  public func isValid(
    _ signature: [UInt8], for message: [UInt8], with algorithm: SignatureAlgorithm
  ) throws(AuthError) -> Bool {
    guard algorithm.fits(type) else { throw AuthError(.keyInvalid, "a key of this type does not sign this way") }
    guard signature.count == signatureLength else { return false }
    guard let verification else { return try isValidEd25519(signature, for: message) }

    var signature = signature
    if case .p256 = parameters {
      guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
      signature = der
    }
    let digest = try SHA256.hash(message)
    let context = try verification.copy()
    // `unsafe`: both buffers hold the count that is passed.
    return try Self.isYes(
      unsafe signature.withUnsafeBufferPointer { signature in
        unsafe digest.withUnsafeBufferPointer { digest in
          unsafe EVP_PKEY_verify(
            context.raw, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
        }
      })
  }

  private func isValidEd25519(_ signature: [UInt8], for message: [UInt8]) throws(AuthError) -> Bool {
    // `unsafe`: C; the context is freed by its owner, and both buffers hold the count that is passed.
    let context = try Owned(unsafe EVP_MD_CTX_new(), "verifying") { unsafe EVP_MD_CTX_free($0) }
    try OpenSSL.check(
      unsafe EVP_DigestVerifyInit_ex(context.raw, nil, nil, OpenSSL.context, nil, key.raw, nil), "verifying")
    return try Self.isYes(
      unsafe signature.withUnsafeBufferPointer { signature in
        unsafe message.withUnsafeBufferPointer { message in
          unsafe EVP_DigestVerify(
            context.raw, signature.baseAddress, signature.count, message.baseAddress, message.count)
        }
      })
  }

  /// One is yes, zero is no, and a negative answer is none. A no leaves errors behind as well.
  private static func isYes(_ answer: Int32) throws(AuthError) -> Bool {
    if answer == 1 { return true }
    // An ECDSA signature that leads to the point at infinity is wrong, though OpenSSL calls that a failure.
    guard answer == 0 || OpenSSL.firstReason == EC_R_POINT_AT_INFINITY else { throw OpenSSL.failure("verifying") }
    OpenSSL.drain()
    return false
  }
}
