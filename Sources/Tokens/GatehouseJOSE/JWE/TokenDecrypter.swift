import GatehouseBase
import GatehouseCrypto

/// Decrypts messages (JWE, RFC 7516) with the receiver's keys, under a policy.
///
/// It accepts only encrypted messages, as `TokenVerifier` accepts only signed ones: neither detects which of the two it
/// was given. A message whose text, tag, encrypted key or header was changed, or that was encrypted to another key,
/// throws `decryptionFailed`, always with the same words. Errors that can be seen without a key (structure, sizes,
/// algorithms) have codes of their own. Compressed messages are rejected, and so are all critical extensions.
///
/// A pure function of its arguments, usable from any thread. With a private key it is slow work: not on a queue that
/// must stay quick.
public struct TokenDecrypter: Sendable {
  /// The keys for decryption.
  public let keys: DecryptionKeys
  /// The requirements for a message.
  public let policy: DecryptionPolicy

  /// Makes a decrypter; it has no state.
  public init(keys: DecryptionKeys, policy: DecryptionPolicy) {
    self.keys = keys
    self.policy = policy
  }

  /// Decrypts a message in compact form.
  public func decrypt(_ message: String) throws -> DecryptedMessage {
    let text = message.utf8.span
    let parts = try CompactJWE(text, limits: policy.limits)
    let header = try TokenHeader(
      JSONObject(reading: Base64URL.bytes(of: text.extracting(parts.header)), limits: policy.limits.json))
    let encryption = try encryption(of: header)
    let (key, algorithm) = try recognize(header, encryption)
    try ContentEncryption.check(
      encryptedKey: parts.encryptedKey.count, is: key.encryptedKeyLength(algorithm, encryption))
    try encryption.check(nonce: parts.nonce.count, tag: parts.tag.count)
    let encryptedKey = try Base64URL.bytes(of: text.extracting(parts.encryptedKey))
    let sealed = SealedMessage(
      nonce: try Base64URL.bytes(of: text.extracting(parts.nonce)),
      ciphertext: try Base64URL.bytes(of: text.extracting(parts.ciphertext)),
      tag: try Base64URL.bytes(of: text.extracting(parts.tag)))

    let contentKey = try key.openContentKey(encryptedKey, header.members, algorithm, encryption)
    let protected = Array(message.utf8.prefix(parts.header.upperBound))
    let plaintext = try encryption.cipher.open(sealed, authenticating: protected, key: contentKey)
    return DecryptedMessage(header: header, plaintext: plaintext)
  }

  /// The content encryption of a message, from its protected header. The header must not require anything else.
  func encryption(of header: TokenHeader) throws(AuthError) -> ContentEncryption {
    guard header["crit"] == nil else {
      throw AuthError(.criticalHeader, "`crit` names an unsupported extension")
    }
    guard header["zip"] == nil else {
      throw AuthError(.compressionRefused, "compressed messages (`zip`) are refused")
    }
    // The algorithm is checked first, so that a message with an unknown one gets that error.
    _ = try algorithm(of: header)
    guard let encryption = header["enc"]?.string.flatMap(ContentEncryption.init(exactly:)),
      policy.encryptions.contains(encryption)
    else {
      throw AuthError(.algorithmRefused, "the message's `enc` is not accepted by the policy")
    }
    return encryption
  }

  /// The key and the algorithm for a header, if the policy and the key allow them.
  func recognize(
    _ header: TokenHeader, _ encryption: ContentEncryption
  ) throws(AuthError) -> (key: JWK.Key, JWEAlgorithm) {
    let algorithm = try algorithm(of: header)
    guard header.keyID != nil || !policy.requiresKeyID else {
      throw AuthError(.unknownKey, "`kid` is missing")
    }
    return (try typed { try keys.key(named: header.keyID, for: algorithm, encryption).key }, algorithm)
  }

  private func algorithm(of header: TokenHeader) throws(AuthError) -> JWEAlgorithm {
    guard let algorithm = JWEAlgorithm(exactly: header.algorithm), policy.algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the message's `alg` is not accepted by the policy")
    }
    return algorithm
  }
}
