import CGatehouseOpenSSL
package import GatehouseBase

/// Hash functions for the lists and stored passwords of other systems, implemented by OpenSSL. They are not used for
/// Gatehouse's tokens, nor for passwords that are set here.
///
/// The raw value is OpenSSL's name, and stands in the databases of providers.
package enum LegacyHash: String, Sendable, Codable, CaseIterable {
  /// MD5, digests of 16 bytes.
  case md5 = "MD5"
  /// SHA-1, digests of 20 bytes.
  case sha1 = "SHA1"
  /// SHA-256, digests of 32 bytes.
  case sha256 = "SHA256"
  /// SHA-512, digests of 64 bytes.
  case sha512 = "SHA512"

  /// The length of a digest, in bytes.
  package var length: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// Hashes bytes. Usable from any thread.
  package func hash(_ bytes: [UInt8]) throws(AuthError) -> [UInt8] {
    var digest = Array(repeating: UInt8(0), count: length)
    // `unsafe`: the digest has as many bytes as this function writes, and the input has the length that is passed.
    let answer = unsafe digest.withUnsafeMutableBufferPointer { digest in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe EVP_Q_digest(nil, rawValue, nil, bytes.baseAddress, bytes.count, digest.baseAddress, nil)
      }
    }
    try OpenSSL.check(answer, "hashing")
    return digest
  }

  /// HMAC (RFC 2104) of bytes. Usable from any thread.
  package func tag(of bytes: [UInt8], key: SecretBytes) throws(AuthError) -> [UInt8] {
    try KeyedHash.tag(of: [bytes], key: key, digest: rawValue, length: length)
  }

  /// PBKDF2 (RFC 8018 §5.2) with HMAC. Slow on purpose.
  package func derive(
    password: [UInt8], salt: [UInt8], rounds: Int, count: Int
  ) throws(AuthError) -> [UInt8] {
    guard (1...10_000_000).contains(rounds), (1...4096).contains(count) else {
      throw AuthError(.invalidArgument, "PBKDF2 exceeds its limits: 10,000,000 rounds, 4096 bytes of output")
    }
    SlowWork.begins(.passwordHash)
    var parameters = ParameterList()
    parameters.add(OSSL_KDF_PARAM_PASSWORD, bytes: password)
    parameters.add(OSSL_KDF_PARAM_SALT, bytes: salt)
    parameters.add(OSSL_KDF_PARAM_ITER, value: UInt64(rounds))
    parameters.add(OSSL_KDF_PARAM_DIGEST, text: rawValue)
    // Other systems use short salts and few rounds. OpenSSL's lower bounds do not apply to hashes that are only
    // checked.
    parameters.add(OSSL_KDF_PARAM_PKCS5, value: 1)
    return try KeyDerivation.run(.pbkdf2, parameters, count: count, "PBKDF2")
  }
}
