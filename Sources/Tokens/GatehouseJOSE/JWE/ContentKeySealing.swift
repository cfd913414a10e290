import GatehouseBase
import GatehouseCrypto

/// The key of one message, and the data from which its receiver gets it.
struct SealedContentKey {
  let key: SecretBytes
  /// The encrypted key that is sent; empty if the receiver has the key, or derives it.
  let encrypted: [UInt8]
  /// The key's members in the header.
  var members: JSONObject = [:]
}

extension JWK.Key {
  /// Makes a key for one message to the owner of this key.
  func sealContentKey(
    _ algorithm: JWEAlgorithm, _ encryption: ContentEncryption, partyU: [UInt8], partyV: [UInt8],
    randomness: EncryptionRandomness
  ) throws(AuthError) -> SealedContentKey {
    switch (algorithm.mode, self) {
    case (.directEncryption, .symmetric(let shared)):
      return SealedContentKey(key: shared.bytes, encrypted: [])
    case (.keyWrapping, .symmetric(let shared)):
      let key = try randomness.contentKey(encryption)
      return SealedContentKey(key: key, encrypted: try KeyWrap.wrap(key, with: shared.bytes))
    case (.keyWrappingGCM(let cipher), .symmetric(let shared)):
      let key = try randomness.contentKey(encryption)
      let nonce = try randomness.wrappingNonce(cipher)
      var bytes = key.revealed
      // Overwrites the copy.
      defer { _ = SecretBytes(moving: &bytes) }
      let sealed = try cipher.seal(bytes, authenticating: [], key: shared.bytes, nonce: nonce)
      return SealedContentKey(
        key: key, encrypted: sealed.ciphertext, members: GCMKeyWrapping(nonce: nonce, tag: sealed.tag).members)
    case (.keyEncryption(let hash), .publicKey(let receiver)):
      let key = try randomness.contentKey(encryption)
      return SealedContentKey(key: key, encrypted: try receiver.encryptOAEP(key, hash: hash))
    case (.directKeyAgreement, .publicKey(let receiver)), (.keyAgreementWithKeyWrapping, .publicKey(let receiver)):
      let own = try randomness.ephemeralKey(receiver.type)
      let agreement = KeyAgreement(ephemeralKey: own.publicKey, partyU: partyU, partyV: partyV)
      let agreed = try agreement.key(own, receiver, algorithm, encryption)
      guard algorithm.agreedWrappingLength != nil else {
        return SealedContentKey(key: agreed, encrypted: [], members: try agreement.members)
      }
      let key = try randomness.contentKey(encryption)
      return SealedContentKey(
        key: key, encrypted: try KeyWrap.wrap(key, with: agreed), members: try agreement.members)
    default: throw AuthError(.algorithmRefused, "this key does not support encryption with \(algorithm.rawValue)")
    }
  }
}

/// The random values of one message. Given values are used instead, for the examples of the RFCs.
package struct EncryptionRandomness: Sendable {
  package var contentKey: SecretBytes?
  package var nonce: [UInt8]?
  package var ephemeralKey: PrivateKey?
  /// The nonce for a key that is encrypted in Galois counter mode.
  package var wrappingNonce: [UInt8]?

  package init(
    contentKey: SecretBytes? = nil, nonce: [UInt8]? = nil, ephemeralKey: PrivateKey? = nil,
    wrappingNonce: [UInt8]? = nil
  ) {
    self.contentKey = contentKey
    self.nonce = nonce
    self.ephemeralKey = ephemeralKey
    self.wrappingNonce = wrappingNonce
  }

  func contentKey(_ encryption: ContentEncryption) throws(AuthError) -> SecretBytes {
    if let contentKey { return contentKey }
    return try encryption.cipher.makeKey()
  }

  func nonce(_ encryption: ContentEncryption) throws(AuthError) -> [UInt8] {
    if let nonce { return nonce }
    return try RandomBytes.bytes(encryption.cipher.nonceLength)
  }

  func wrappingNonce(_ cipher: AuthenticatedCipher) throws(AuthError) -> [UInt8] {
    if let wrappingNonce { return wrappingNonce }
    return try RandomBytes.bytes(cipher.nonceLength)
  }

  func ephemeralKey(_ type: KeyType) throws(AuthError) -> PrivateKey {
    if let ephemeralKey { return ephemeralKey }
    return try typed { try PrivateKey.generate(type) }
  }
}
