import GatehouseBase
import GatehouseCrypto

extension TokenDecrypter {
  /// The maximum number of recipients of a message: each may cost one private-key operation.
  public static let maximumRecipients = 16

  /// Decrypts a message in flattened or general JSON (RFC 7516 §7.2).
  ///
  /// `enc` must be in the protected header; `alg` and its members may be in the receiver's own. No name may be in two
  /// parts of the header. Recipients with a key of this decrypter are tried in order, and the others cost nothing.
  /// Throws `tokenTooLarge` for a message longer than `limits.token`.
  public func decrypt(json: some Sequence<UInt8>) throws -> DecryptedMessage {
    // Reads at most one byte more than the limit.
    let text = Array(json.prefix(max(policy.limits.token, 0) + 1))
    guard text.count <= policy.limits.token else {
      throw AuthError(.tokenTooLarge, "the message is longer than \(policy.limits.token) bytes")
    }
    let message = try JSONJWE(JSONObject(reading: text, limits: policy.limits.json), limits: policy.limits)
    var refusal: AuthError?
    for recipient in message.recipients {
      do throws(AuthError) {
        return try decrypt(message, for: recipient)
      } catch {
        refusal = error.says(moreThan: refusal) ? error : refusal
      }
    }
    throw refusal ?? AuthError(.tokenMalformed, "the message has no recipients")
  }

  private func decrypt(
    _ message: JSONJWE, for recipient: JSONJWE.Recipient
  ) throws(AuthError) -> DecryptedMessage {
    let (unprotected, whole) = message.header(for: recipient)
    let header = try TokenHeader(protected: message.members, of: whole)
    let encryption = try encryption(of: header)
    let (key, algorithm) = try recognize(header, encryption)
    guard message.recipients.count == 1 || !algorithm.isDirect else {
      throw AuthError(.headerInvalid, "a message to several recipients cannot have `alg` \(algorithm.rawValue)")
    }
    try ContentEncryption.check(
      encryptedKey: recipient.encryptedKey.utf8.count, is: key.encryptedKeyLength(algorithm, encryption))
    try encryption.check(nonce: message.nonce.utf8.count, tag: message.tag.utf8.count)
    let encryptedKey = try Base64URL.bytes(of: recipient.encryptedKey)
    let additionalData =
      try message.additionalData.map { text throws(AuthError) in try Base64URL.bytes(of: text) } ?? []
    let sealed = SealedMessage(
      nonce: try Base64URL.bytes(of: message.nonce), ciphertext: try Base64URL.bytes(of: message.ciphertext),
      tag: try Base64URL.bytes(of: message.tag))

    let contentKey = try key.openContentKey(encryptedKey, whole, algorithm, encryption)
    let plaintext = try encryption.cipher.open(sealed, authenticating: message.authenticated, key: contentKey)
    return DecryptedMessage(
      header: header, unprotected: unprotected, additionalData: additionalData, plaintext: plaintext)
  }
}

extension AuthError {
  /// Whether this is the more useful error for a message to several recipients: most of them are others.
  fileprivate func says(moreThan other: AuthError?) -> Bool {
    guard let other else { return true }
    if other.code == .unknownKey { return code != .unknownKey }
    return code == .decryptionFailed && other.code != .decryptionFailed
  }
}
