public import GatehouseBase
import GatehouseCrypto

/// Decrypts messages (JWE, RFC 7516) with one's own keys, under a policy.
///
/// It takes encrypted messages and nothing else, as `TokenVerifier` takes signed ones: neither looks which of the two
/// it was given. A message whose text, tag, encrypted key or header was changed, or that was encrypted to another key,
/// is `decryptionFailed`, always with the same words; what can be seen without a key (structure, sizes, algorithms)
/// has codes of its own. Compressed messages are refused, and so is everything critical.
///
/// A pure function of its arguments; any thread, all at once. With a private key it is slow work: not on a queue that
/// must stay quick.
public struct TokenDecrypter: Sendable {
  /// The keys to decrypt with.
  public let keys: DecryptionKeys
  /// What a message must be.
  public let policy: DecryptionPolicy

  /// A decrypter; it has no state.
  public init(keys: DecryptionKeys, policy: DecryptionPolicy) {
    self.keys = keys
    self.policy = policy
  }

  /// The message that was encrypted, in compact form.
  public func decrypt(_ message: String) throws(AuthError) -> DecryptedMessage {
    let text = message.utf8.span
    let parts = try CompactJWE(text, limits: policy.limits)
    let header = try TokenHeader(
      JSONObject(parsing: Base64URL.decode(text.extracting(parts.header)), limits: policy.limits.json))
    let encryption = try encryption(of: header)
    let (key, algorithm) = try recognize(header, encryption)
    try ContentEncryption.check(
      encryptedKey: parts.encryptedKey.count, is: key.encryptedKeyLength(algorithm, encryption))
    try encryption.check(nonce: parts.nonce.count, tag: parts.tag.count)
    let encryptedKey = try Base64URL.decode(text.extracting(parts.encryptedKey))
    let sealed = SealedMessage(
      nonce: try Base64URL.decode(text.extracting(parts.nonce)),
      ciphertext: try Base64URL.decode(text.extracting(parts.ciphertext)),
      tag: try Base64URL.decode(text.extracting(parts.tag)))

    let contentKey = try key.openContentKey(encryptedKey, header.members, algorithm, encryption)
    let protected = Array(message.utf8.prefix(parts.header.upperBound))
    let plaintext = try encryption.cipher.open(sealed, authenticating: protected, key: contentKey)
    return DecryptedMessage(header: header, plaintext: plaintext)
  }

  /// How the message itself is encrypted, by a protected header that asks for nothing else.
  func encryption(of header: TokenHeader) throws(AuthError) -> ContentEncryption {
    guard header["crit"] == nil else {
      throw AuthError(.criticalHeader, "`crit` names an unsupported extension")
    }
    guard header["zip"] == nil else {
      throw AuthError(.compressionRefused, "compressed messages (`zip`) are refused")
    }
    // The algorithm is looked at first, so that a message in an unknown one is told so.
    _ = try algorithm(of: header)
    guard let encryption = header["enc"]?.string.flatMap(ContentEncryption.init(exactly:)),
      policy.encryptions.contains(encryption)
    else {
      throw AuthError(.algorithmRefused, "the message's `enc` is not accepted by the policy")
    }
    return encryption
  }

  /// The key and the algorithm that a header asks for, if the policy and the key allow them.
  func recognize(
    _ header: TokenHeader, _ encryption: ContentEncryption
  ) throws(AuthError) -> (key: JWK.Key, JWEAlgorithm) {
    let algorithm = try algorithm(of: header)
    guard header.keyID != nil || !policy.requiresKeyID else {
      throw AuthError(.unknownKey, "`kid` is missing")
    }
    return (try keys.key(named: header.keyID, for: algorithm, encryption).key, algorithm)
  }

  private func algorithm(of header: TokenHeader) throws(AuthError) -> JWEAlgorithm {
    guard let algorithm = JWEAlgorithm(exactly: header.algorithm), policy.algorithms.contains(algorithm) else {
      throw AuthError(.algorithmRefused, "the message's `alg` is not accepted by the policy")
    }
    return algorithm
  }
}
