/// The hash algorithms of imported passwords, by their names in the protocol.
package enum PasswordHashAlgorithm: String, Sendable, Hashable, CaseIterable {
  case firebaseScrypt = "SCRYPT"
  case scrypt = "STANDARD_SCRYPT"
  case bcrypt = "BCRYPT"
  case argon2 = "ARGON2"
  case pbkdf2SHA256 = "PBKDF2_SHA256"
  case pbkdf2SHA1 = "PBKDF_SHA1"
  case hmacSHA512 = "HMAC_SHA512"
  case hmacSHA256 = "HMAC_SHA256"
  case hmacSHA1 = "HMAC_SHA1"
  case hmacMD5 = "HMAC_MD5"
  case sha512 = "SHA512"
  case sha256 = "SHA256"
  case sha1 = "SHA1"
  case md5 = "MD5"
}
