import GatehouseBase
import GatehouseCrypto

extension JWK.Key {
  /// The length of the encrypted key in a message to this key, in bytes.
  func encryptedKeyLength(_ algorithm: JWEAlgorithm, _ encryption: ContentEncryption) -> Int {
    switch algorithm.mode {
    case .directEncryption, .directKeyAgreement: return 0
    case .keyWrapping, .keyAgreementWithKeyWrapping: return encryption.cipher.keyLength + KeyWrap.overhead
    case .keyWrappingGCM: return encryption.cipher.keyLength
    case .keyEncryption:
      guard case .rsa(let modulus, _)? = publicKey?.parameters else { return 0 }
      return modulus.count
    }
  }

  /// Returns the key of a message that was encrypted to this key, by all members of the message's header.
  ///
  /// An encrypted key that cannot be decrypted, or has another size, does not throw: it is replaced with a random key
  /// (RFC 7516 §11.5). The message's tag then fails to verify, with the same error and at the same point as in a
  /// message whose text was changed. So neither the error nor the time reveals which of the two it was.
  func openContentKey(
    _ encrypted: [UInt8], _ header: JSONObject, _ algorithm: JWEAlgorithm, _ encryption: ContentEncryption
  ) throws(AuthError) -> SecretBytes {
    switch (algorithm.mode, self) {
    case (.directEncryption, .symmetric(let shared)): return shared.bytes
    case (.keyWrapping, .symmetric(let shared)):
      return try Self.orRandom(encryption) { () throws(AuthError) in try KeyWrap.unwrap(encrypted, with: shared.bytes) }
    case (.keyWrappingGCM(let cipher), .symmetric(let shared)):
      let wrapping = try GCMKeyWrapping(header, cipher)
      return try Self.orRandom(encryption) { () throws(AuthError) in
        var key = try cipher.open(wrapping.sealed(encrypted), key: shared.bytes)
        return SecretBytes(moving: &key)
      }
    case (.keyEncryption(let hash), .privateKey(let own)):
      return try Self.orRandom(encryption) { () throws(AuthError) in try own.decryptOAEP(encrypted, hash: hash) }
    case (.directKeyAgreement, .privateKey(let own)), (.keyAgreementWithKeyWrapping, .privateKey(let own)):
      let agreement = try KeyAgreement(header, type: own.type)
      let agreed: SecretBytes
      do { agreed = try agreement.key(own, agreement.ephemeralKey, algorithm, encryption) } catch {
        guard error.code == .keyInvalid else { throw error }
        throw AuthError(.headerInvalid, "`epk` is not a valid ECDH public key")
      }
      guard algorithm.agreedWrappingLength != nil else { return agreed }
      return try Self.orRandom(encryption) { () throws(AuthError) in try KeyWrap.unwrap(encrypted, with: agreed) }
    default: throw AuthError(.algorithmRefused, "this key does not support decryption with \(algorithm.rawValue)")
    }
  }

  /// The result of `open`, or a random key. The random key is always made, so that both cases take equally long.
  private static func orRandom(
    _ encryption: ContentEncryption, _ open: () throws(AuthError) -> SecretBytes
  ) throws(AuthError) -> SecretBytes {
    let random = try encryption.cipher.makeKey()
    do {
      let key = try open()
      return key.count == random.count ? key : random
    } catch {
      guard error.code == .decryptionFailed else { throw error }
      return random
    }
  }
}
