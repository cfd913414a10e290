package import GatehouseBase

/// Firebase's password hash: scrypt derives a key, with which the project's signer key is encrypted.
///
/// Source: https://github.com/firebase/scrypt
package enum FirebaseScrypt {
  /// Hashes a password. Slow on purpose.
  ///
  /// - Parameters:
  ///   - salt: the account's salt, followed by the project's separator.
  ///   - signerKey: the project's signer key.
  ///   - rounds: scrypt's block size, 1 to 8.
  ///   - memoryCost: the base-2 logarithm of scrypt's N, 1 to 14.
  package static func hash(
    password: [UInt8], salt: [UInt8], signerKey: [UInt8], rounds: Int, memoryCost: Int
  ) throws(AuthError) -> [UInt8] {
    guard (1...8).contains(rounds), (1...14).contains(memoryCost) else {
      throw AuthError(.invalidArgument, "Firebase's scrypt has 1 to 8 rounds and a memory cost of 1 to 14")
    }
    let derived = try typed {
      try Scrypt.derive(
        password: password, salt: salt, n: 1 << memoryCost, r: rounds, p: 1, count: 64)
    }
    let key = SecretBytes(Array(derived.prefix(32)))
    let counter = [UInt8](repeating: 0, count: 16)
    return try CipherRun(.aes256CTR, .encrypting, key: key, nonce: counter).process(signerKey.span)
  }
}
