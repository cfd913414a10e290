import CGatehouseOpenSSL
package import GatehouseBase

// RSAES-OAEP (RFC 8017 §7.1) with MGF1 of the same hash, and no label: JOSE's RSA-OAEP-256 and RSA-OAEP.

/// The hash of RSAES-OAEP.
package enum OAEPHash: Sendable, Hashable {
  /// SHA-256.
  case sha256
  /// SHA-1, for neighbors that have no other. OAEP does not rest on what is broken about SHA-1, its collisions.
  case sha1

  /// Bytes that a ciphertext has at least beyond its secret.
  fileprivate var overhead: Int { self == .sha256 ? 66 : 42 }
  fileprivate var name: String { self == .sha256 ? HashAlgorithm.sha256.name : "SHA1" }
}

extension PublicKey {
  /// Encrypts a secret to the owner of this RSA key.
  ///
  /// Throws `keyInvalid` for a key of another kind, or a secret that is longer than the modulus less 66 bytes (42 with
  /// SHA-1). Any thread.
  package func encryptOAEP(_ secret: SecretBytes, hash: OAEPHash = .sha256) throws(AuthError) -> [UInt8] {
    guard case .rsa(let modulus, _) = parameters, secret.count <= modulus.count - hash.overhead else {
      throw AuthError(.keyInvalid, "the key is not an RSA key, or its modulus is too short for this secret")
    }
    let context = try key.oaepContext(hash) { unsafe EVP_PKEY_encrypt_init_ex($0, $1) }
    var output = Array(repeating: UInt8(0), count: modulus.count)
    var count = output.count
    // `unsafe`: both buffers hold the count that is passed.
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
  /// The secret that was encrypted to this RSA key; `decryptionFailed` whatever is wrong with it.
  ///
  /// Throws `keyInvalid` for a key of another kind. Slow: a millisecond or more; never on a queue that must stay quick.
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
    // `unsafe`: both buffers hold the count that is passed.
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
  /// A context that is set up for one encryption or decryption.
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
