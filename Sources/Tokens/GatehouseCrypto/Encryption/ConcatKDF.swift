import CGatehouseOpenSSL
package import GatehouseBase

/// The key derivation of JOSE's key agreement (RFC 7518 §4.6.2; NIST SP 800-56A §5.8.1) with SHA-256.
package enum ConcatKDF {
  /// The maximum output, in bytes.
  package static let maximumOutputLength = 1024

  /// Derives a key of `count` bytes from a shared secret, for one algorithm and two parties.
  ///
  /// Throws `invalidArgument` for 0 bytes or more than `maximumOutputLength`. Usable from any thread.
  package static func derive(
    from secret: SecretBytes, algorithm: String, partyU: [UInt8], partyV: [UInt8], count: Int
  ) throws(AuthError) -> SecretBytes {
    guard (1...maximumOutputLength).contains(count) else {
      throw AuthError(.invalidArgument, "a derived key must have 1 to \(maximumOutputLength) bytes")
    }
    var info: [UInt8] = []
    for part in [Array(algorithm.utf8), partyU, partyV] {
      guard let length = UInt32(exactly: part.count) else {
        throw AuthError(.invalidArgument, "`apu` or `apv` is too long")
      }
      info += bigEndian(length) + part
    }
    info += bigEndian(UInt32(count * 8))

    var list = ParameterList()
    list.add(OSSL_KDF_PARAM_DIGEST, text: HashAlgorithm.sha256.name)
    secret.withBytes { list.add(OSSL_KDF_PARAM_KEY, bytes: $0) }
    list.add(OSSL_KDF_PARAM_INFO, bytes: info)
    let algorithm = try unsafe Fetched.singleStepKDF.get()
    // `unsafe`: C; the context is freed once, by its owner, and the buffer has the length that is passed.
    let context = try Owned(unsafe EVP_KDF_CTX_new(algorithm), "deriving a key") { unsafe EVP_KDF_CTX_free($0) }
    return try SecretBytes(count: count) { output throws(AuthError) in
      let answer = list.withList { unsafe EVP_KDF_derive(context.raw, output.baseAddress, output.count, $0) }
      try OpenSSL.check(answer, "deriving a key")
    }
  }
}
