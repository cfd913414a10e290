import CGatehouseOpenSSL
import GatehouseBase

/// The maximum work for a passphrase. An encrypted key states its own number of hashes, and OpenSSL would hash for
/// days.
enum PassphraseCost {
  /// The maximum number of PBKDF2 rounds: some seconds.
  static let rounds: UInt64 = 10_000_000
  /// The maximum product of scrypt's N, r and p: some seconds. OpenSSL allows it 32 MiB.
  static let scrypt: UInt64 = 1 << 22

  /// Passes if an encrypted key (an `X509_SIG`) uses PKCS #5's second scheme (RFC 8018 §6.2) and stays below the
  /// limits.
  static func check(_ encrypted: borrowing Owned) throws(AuthError) {
    // `unsafe`: C; `algorithm` belongs to the encrypted key, and unpacked parameters are freed by their owners.
    var algorithm: UnsafePointer<X509_ALGOR>?
    unsafe X509_SIG_get0(encrypted.raw, &algorithm, nil)
    let scheme = try unsafe unpacked(algorithm, NID_pbes2, PBE2PARAM_it()) { unsafe PBE2PARAM_free(.init($0)) }
    let derivation = unsafe UnsafePointer<PBE2PARAM>(scheme.raw).pointee.keyfunc
    switch unsafe OBJ_obj2nid(derivation?.pointee.algorithm) {
    case NID_id_pbkdf2:
      let hashing = try unsafe unpacked(derivation, NID_id_pbkdf2, PBKDF2PARAM_it()) {
        unsafe PBKDF2PARAM_free(.init($0))
      }
      guard let count = number(unsafe UnsafePointer<PBKDF2PARAM>(hashing.raw).pointee.iter), count <= rounds else {
        throw tooSlow
      }
    case NID_id_scrypt:
      let hashing = try unsafe unpacked(derivation, NID_id_scrypt, SCRYPT_PARAMS_it()) {
        unsafe SCRYPT_PARAMS_free(.init($0))
      }
      let numbers = unsafe UnsafePointer<SCRYPT_PARAMS>(hashing.raw)
      guard let n = number(unsafe numbers.pointee.costParameter), (1...scrypt).contains(n),
        let r = number(unsafe numbers.pointee.blockSize), (1...scrypt / n).contains(r),
        let p = number(unsafe numbers.pointee.parallelizationParameter), (1...scrypt / n / r).contains(p)
      else { throw tooSlow }
    default: throw unsupported
    }
  }

  /// The parameters of an algorithm, which must be the given one.
  private static func unpacked(
    _ algorithm: UnsafePointer<X509_ALGOR>?, _ kind: Int32, _ form: OpaquePointer?,
    freedBy free: @escaping (OpaquePointer?) -> Void
  ) throws(AuthError) -> Owned {
    guard let algorithm = unsafe algorithm?.pointee, unsafe OBJ_obj2nid(algorithm.algorithm) == kind else {
      throw unsupported
    }
    guard let parameters = unsafe ASN1_TYPE_unpack_sequence(form, algorithm.parameter) else {
      throw OpenSSL.failure("reading how the key is encrypted", code: .keyInvalid)
    }
    return try Owned(OpaquePointer(parameters), "reading how the key is encrypted", freedBy: free)
  }

  /// The value of an integer, if it is not negative and fits.
  @safe private static func number(_ integer: UnsafePointer<ASN1_INTEGER>?) -> UInt64? {
    var number: UInt64 = 0
    guard let integer = unsafe integer, unsafe ASN1_INTEGER_get_uint64(&number, integer) == 1 else {
      OpenSSL.drain()
      return nil
    }
    return number
  }

  private static var unsupported: AuthError {
    AuthError(.keyUnsupported, "unsupported key encryption: use PBES2 with PBKDF2 or scrypt")
  }

  private static var tooSlow: AuthError {
    AuthError(
      .keyUnsupported, "the passphrase cost is too high: at most \(rounds) PBKDF2 rounds are accepted")
  }
}
