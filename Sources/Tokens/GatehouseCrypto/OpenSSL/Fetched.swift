import CGatehouseOpenSSL
import GatehouseBase

/// An OpenSSL algorithm, fetched once and never freed: a fetch takes locks that all threads share.
///
/// `@unchecked`: a fetched algorithm is constant, and all threads may use it. `@safe`: it is never freed.
@safe
struct Fetched: @unchecked Sendable {
  // `unsafe`: C; the names are constants, and no properties are requested.
  static let sha256 = Fetched("SHA-256", unsafe EVP_MD_fetch(OpenSSL.context, "SHA256", nil))
  static let sha384 = Fetched("SHA-384", unsafe EVP_MD_fetch(OpenSSL.context, "SHA384", nil))
  static let sha512 = Fetched("SHA-512", unsafe EVP_MD_fetch(OpenSSL.context, "SHA512", nil))
  static let hmac = Fetched("HMAC", unsafe EVP_MAC_fetch(OpenSSL.context, "HMAC", nil))
  static let aes128GCM = Fetched("AES-128-GCM", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-128-GCM", nil))
  static let aes192GCM = Fetched("AES-192-GCM", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-192-GCM", nil))
  static let aes256GCM = Fetched("AES-256-GCM", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-256-GCM", nil))
  static let aes128CBC = Fetched("AES-128-CBC", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-128-CBC", nil))
  static let aes192CBC = Fetched("AES-192-CBC", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-192-CBC", nil))
  static let aes256CBC = Fetched("AES-256-CBC", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-256-CBC", nil))
  static let aes256CTR = Fetched("AES-256-CTR", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-256-CTR", nil))
  static let aes128Wrap = Fetched("AES-128-WRAP", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-128-WRAP", nil))
  static let aes192Wrap = Fetched("AES-192-WRAP", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-192-WRAP", nil))
  static let aes256Wrap = Fetched("AES-256-WRAP", unsafe EVP_CIPHER_fetch(OpenSSL.context, "AES-256-WRAP", nil))
  static let singleStepKDF = Fetched("the single-step KDF", unsafe EVP_KDF_fetch(OpenSSL.context, "SSKDF", nil))
  static let pbkdf2 = Fetched("PBKDF2", unsafe EVP_KDF_fetch(OpenSSL.context, "PBKDF2", nil))
  static let scrypt = Fetched("scrypt", unsafe EVP_KDF_fetch(OpenSSL.context, "SCRYPT", nil))

  private let name: String
  private let pointer: OpaquePointer?

  @safe private init(_ name: String, _ pointer: OpaquePointer?) {
    if unsafe pointer == nil { OpenSSL.drain() }
    self.name = name
    unsafe self.pointer = pointer
  }

  /// The algorithm, for a call. Throws `cryptoFailed` if this OpenSSL does not provide it.
  func get() throws(AuthError) -> OpaquePointer {
    guard let pointer = unsafe pointer else { throw AuthError(.cryptoFailed, "OpenSSL does not provide \(name)") }
    return unsafe pointer
  }
}
