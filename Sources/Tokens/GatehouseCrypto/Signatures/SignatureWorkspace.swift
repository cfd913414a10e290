import CGatehouseOpenSSL
import GatehouseBase

/// OpenSSL's contexts for signatures of one key with one algorithm, set up once and reused for each message.
///
/// For one thread at a time. `@safe`: only this object has the contexts that it frees.
@safe
final class SignatureWorkspace {
  /// The purpose of the workspace.
  enum Purpose { case signing, verifying }

  private let key: PKey
  private let purpose: Purpose
  private let hash: HashAlgorithm?
  private let digest: OpaquePointer?
  private let digesting: OpaquePointer
  /// `nil` for algorithms that sign the message itself: OpenSSL sets them up anew for each message.
  private let signing: OpaquePointer?

  init(_ key: PKey, _ algorithm: SignatureAlgorithm, for purpose: Purpose) throws(AuthError) {
    self.key = key
    self.purpose = purpose
    hash = algorithm.hash
    // `unsafe`: C; a partly made context is freed by its owner, a complete one by this object.
    unsafe digest = try algorithm.hash?.fetched.get()
    let draft = try unsafe Self.context(key, algorithm, for: purpose)
    guard let digesting = unsafe EVP_MD_CTX_new() else { throw OpenSSL.failure("setting up a key") }
    unsafe self.digesting = digesting
    unsafe signing = draft
  }

  private static func context(
    _ key: PKey, _ algorithm: SignatureAlgorithm, for purpose: Purpose
  ) throws(AuthError) -> OpaquePointer? {
    guard let hash = algorithm.hash else { return nil }
    let what: StaticString = "setting up a key"
    // `unsafe`: C; the draft is freed by its owner, its copy by the caller.
    let draft = try Owned(unsafe EVP_PKEY_CTX_new_from_pkey(OpenSSL.context, key.raw, nil), what) {
      unsafe EVP_PKEY_CTX_free($0)
    }
    let digest = try unsafe hash.fetched.get()
    switch purpose {
    case .signing: try OpenSSL.check(unsafe EVP_PKEY_sign_init(draft.raw), what)
    case .verifying: try OpenSSL.check(unsafe EVP_PKEY_verify_init(draft.raw), what)
    }
    switch algorithm {
    case .rsaPKCS1: try OpenSSL.check(unsafe EVP_PKEY_CTX_set_rsa_padding(draft.raw, RSA_PKCS1_PADDING), what)
    case .rsaPSS: try OpenSSL.check(unsafe EVP_PKEY_CTX_set_rsa_padding(draft.raw, RSA_PKCS1_PSS_PADDING), what)
    case .ecdsa, .ed25519, .ed448: break
    }
    try OpenSSL.check(unsafe EVP_PKEY_CTX_set_signature_md(draft.raw, digest), what)
    if case .rsaPSS = algorithm {
      try OpenSSL.check(unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(draft.raw, digest), what)
      try OpenSSL.check(unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(draft.raw, RSA_PSS_SALTLEN_DIGEST), what)
    }
    guard let context = unsafe EVP_PKEY_CTX_dup(draft.raw) else { throw OpenSSL.failure(what) }
    return unsafe context
  }

  // MARK: Verifying

  /// Whether this is the signature of a message. An ECDSA signature is in DER.
  func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) throws(AuthError) -> Bool {
    // `unsafe`: each buffer has the length that is passed.
    unsafe try isYes(
      signature.withUnsafeBufferPointer { signature throws(AuthError) in
        guard let signing = unsafe signing else {
          return try unsafe message.withUnsafeBufferPointer { message throws(AuthError) in
            try OpenSSL.check(
              unsafe EVP_DigestVerifyInit_ex(digesting, nil, nil, OpenSSL.context, nil, key.raw, nil), "verifying")
            return unsafe EVP_DigestVerify(
              digesting, signature.baseAddress, signature.count, message.baseAddress, message.count)
          }
        }
        return try unsafe withDigest(of: message) { digest in
          unsafe EVP_PKEY_verify(signing, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
        }
      })
  }

  /// 1 is valid, 0 is invalid, and a negative value is a failure. An invalid signature also leaves errors in the queue.
  private func isYes(_ answer: Int32) throws(AuthError) -> Bool {
    if answer == 1 { return true }
    // An ECDSA signature that leads to the point at infinity is invalid, though OpenSSL reports a failure.
    guard answer == 0 || OpenSSL.firstReason == EC_R_POINT_AT_INFINITY else { throw OpenSSL.failure("verifying") }
    OpenSSL.drain()
    return false
  }

  // MARK: Signing

  /// Signs a message. An ECDSA signature is in DER.
  func sign(_ message: Span<UInt8>) throws(AuthError) -> [UInt8] {
    // `unsafe`: each buffer has the length that is passed.
    var signature = Array(repeating: UInt8(0), count: Int(unsafe EVP_PKEY_get_size(key.raw)))
    var count = signature.count
    let answer = try unsafe signature.withUnsafeMutableBufferPointer { signature throws(AuthError) in
      guard let signing = unsafe signing else {
        return try unsafe message.withUnsafeBufferPointer { message throws(AuthError) in
          try OpenSSL.check(
            unsafe EVP_DigestSignInit_ex(digesting, nil, nil, OpenSSL.context, nil, key.raw, nil), "signing")
          return unsafe EVP_DigestSign(digesting, signature.baseAddress, &count, message.baseAddress, message.count)
        }
      }
      return try unsafe withDigest(of: message) { digest in
        unsafe EVP_PKEY_sign(signing, signature.baseAddress, &count, digest.baseAddress, digest.count)
      }
    }
    try OpenSSL.check(answer, "signing")
    if count < signature.count { signature.removeSubrange(count...) }
    return signature
  }

  /// Passes the digest of a message to a call.
  private func withDigest(
    of message: Span<UInt8>, _ call: (UnsafeBufferPointer<UInt8>) -> Int32
  ) throws(AuthError) -> Int32 {
    var bytes = InlineArray<64, UInt8>(repeating: 0)
    var count: UInt32 = 0
    var span = bytes.mutableSpan
    // `unsafe`: no hash has more than 64 bytes, and the message has the length that is passed.
    return unsafe span.withUnsafeMutableBufferPointer { bytes in
      let done = unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestInit_ex2(digesting, digest, nil) == 1
          && EVP_DigestUpdate(digesting, message.baseAddress, message.count) == 1
          && EVP_DigestFinal_ex(digesting, bytes.baseAddress, &count) == 1
      }
      guard done else { return -1 }
      return unsafe call(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(bytes)[..<Int(count)]))
    }
  }

  deinit {
    unsafe EVP_MD_CTX_free(digesting)
    unsafe EVP_PKEY_CTX_free(signing)
  }
}
