import CGatehouseOpenSSL
package import GatehouseBase

// RSAES-OAEP (RFC 8017 §7.1) with MGF1 of the same hash, and no label: JOSE's RSA-OAEP-256 and RSA-OAEP.

/// The hash of RSAES-OAEP.
package enum OAEPHash: Sendable, Hashable {
  /// SHA-256.
  case sha256
  /// SHA-1, for peers that support no other. OAEP does not depend on collision resistance, which SHA-1 lacks.
  case sha1

  /// The minimum number of bytes by which a ciphertext is longer than its secret.
  fileprivate var overhead: Int { self == .sha256 ? 66 : 42 }
  fileprivate var name: String { self == .sha256 ? HashAlgorithm.sha256.name : "SHA1" }
}

extension PublicKey {
  /// Encrypts a secret for the owner of this RSA key.
  ///
  /// Throws `keyInvalid` for a key of another kind, or a secret that is longer than the modulus less 66 bytes (42 with
  /// SHA-1). Usable from any thread.
  package func encryptOAEP(_ secret: SecretBytes, hash: OAEPHash = .sha256) throws(AuthError) -> [UInt8] {
    guard case .rsa(let modulus, _) = parameters, secret.count <= modulus.count - hash.overhead else {
      throw AuthError(.keyInvalid, "the key is not an RSA key, or its modulus is too short for this secret")
    }
    let context = try key.oaepContext(hash) { unsafe EVP_PKEY_encrypt_init_ex($0, $1) }
    var output = Array(repeating: UInt8(0), count: modulus.count)
    var count = output.count
    // `unsafe`: both buffers have the lengths that are passed.
    let answer = secret.withBytes { secret in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe secret.withUnsafeBufferPointer { secret in
          unsafe EVP_PKEY_encrypt(context.raw, output.baseAddress, &count, secret.baseAddress, secret.count)
        }
      }
    }
    try OpenSSL.check(answer, "encrypting")
    return output
  }
}

extension PrivateKey {
  /// Decrypts a secret that was encrypted for this RSA key. Throws `decryptionFailed` for any invalid ciphertext.
  ///
  /// Throws `keyInvalid` for a key of another kind. Slow, a millisecond or more: not on a queue that must stay quick.
  package func decryptOAEP(_ ciphertext: [UInt8], hash: OAEPHash = .sha256) throws(AuthError) -> SecretBytes {
    guard case .rsa(let modulus, _) = publicKey.parameters else {
      throw AuthError(.keyInvalid, "the key is not an RSA key")
    }
    SlowWork.begins(.privateKey)
    guard ciphertext.count == modulus.count else { throw .undecipherable }
    let context = try key.oaepContext(hash) { unsafe EVP_PKEY_decrypt_init_ex($0, $1) }
    var room = Array(repeating: UInt8(0), count: modulus.count)
    defer { room.cleanse() }
    var count = room.count
    // `unsafe`: both buffers have the lengths that are passed.
    let answer = unsafe room.withUnsafeMutableBufferPointer { room in
      unsafe ciphertext.withUnsafeBufferPointer { ciphertext in
        unsafe EVP_PKEY_decrypt(context.raw, room.baseAddress, &count, ciphertext.baseAddress, ciphertext.count)
      }
    }
    guard answer == 1, count <= room.count else {
      OpenSSL.drain()
      throw .undecipherable
    }
    return SecretBytes(room.span.extracting(..<count))
  }
}

extension PKey {
  /// Makes a context for one encryption or decryption.
  @safe fileprivate func oaepContext(
    _ hash: OAEPHash, _ begin: (OpaquePointer?, UnsafePointer<OSSL_PARAM>?) -> Int32
  ) throws(AuthError) -> Owned {
    var list = ParameterList()
    list.add(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, text: OSSL_PKEY_RSA_PAD_MODE_OAEP)
    list.add(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, text: hash.name)
    list.add(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, text: hash.name)
    // `unsafe`: C; the context is freed once, by its owner, and the list lives until the call is over.
    let context = try Owned(unsafe EVP_PKEY_CTX_new_from_pkey(OpenSSL.context, raw, nil), "setting up a key") {
      unsafe EVP_PKEY_CTX_free($0)
    }
    try OpenSSL.check(list.withList { unsafe begin(context.raw, $0) }, "setting up a key")
    return context
  }
}
