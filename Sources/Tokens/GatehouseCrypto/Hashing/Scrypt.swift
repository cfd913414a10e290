import CGatehouseOpenSSL
import GatehouseBase

/// The password hash scrypt (RFC 7914), implemented by OpenSSL.
public enum Scrypt {
  /// The maximum memory that a derivation may take, in bytes.
  public static let maximumMemory = 1 << 30

  /// Derives `count` bytes from a password. Slow on purpose: do not call it on a queue that must stay quick.
  ///
  /// The cost is `128 · n · r` bytes of memory, and time in proportion, `p` times over. Throws `invalidArgument` if `n`
  /// is not a power of two above 1, another number is not positive, or the memory exceeds `maximumMemory`.
  public static func derive(
    password: [UInt8], salt: [UInt8], n: Int, r: Int, p: Int, count: Int
  ) throws -> [UInt8] {
    guard n > 1, n & (n - 1) == 0, n <= 1 << 24, (1...1024).contains(r), (1...1024).contains(p) else {
      throw AuthError(.invalidArgument, "invalid scrypt cost: n must be a power of two, r and p must be 1 to 1024")
    }
    let memory = 128 * r * (n + p + 2)
    guard memory <= maximumMemory, (1...4096).contains(count) else {
      throw AuthError(.invalidArgument, "scrypt exceeds its limits: 1 GiB of memory, 4096 bytes of output")
    }
    SlowWork.begins(.passwordHash)

    var parameters = ParameterList()
    parameters.add(OSSL_KDF_PARAM_PASSWORD, bytes: password)
    parameters.add(OSSL_KDF_PARAM_SALT, bytes: salt)
    parameters.add(OSSL_KDF_PARAM_SCRYPT_N, value: UInt64(n))
    parameters.add(OSSL_KDF_PARAM_SCRYPT_R, value: UInt64(r))
    parameters.add(OSSL_KDF_PARAM_SCRYPT_P, value: UInt64(p))
    parameters.add(OSSL_KDF_PARAM_SCRYPT_MAXMEM, value: UInt64(memory))
    return try KeyDerivation.run(.scrypt, parameters, count: count, "scrypt")
  }
}
