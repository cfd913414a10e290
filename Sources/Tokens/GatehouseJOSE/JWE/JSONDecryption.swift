public import GatehouseBase
import GatehouseCrypto

extension TokenDecrypter {
  /// The most recipients that a message may have: each may cost one private-key operation.
  public static let maximumRecipients = 16

  /// The message that was encrypted, in flattened or general JSON (RFC 7516 §7.2).
  ///
  /// `enc` must be in the protected header; `alg` and what belongs to it may be in the receiver's own. No name may be
  /// in two parts of the header. Of several recipients those with a key of ours are tried in their order, and the
  /// others cost nothing. A message longer than `limits.token` is `tokenTooLarge`.
  public func decrypt(json: some Sequence<UInt8>) throws(AuthError) -> DecryptedMessage {
    // One byte more than there may be, and no further.
    let text = Array(json.prefix(max(policy.limits.token, 0) + 1))
    guard text.count <= policy.limits.token else {
      throw AuthError(.tokenTooLarge, "the message is longer than \(policy.limits.token) bytes")
    }
    let message = try JSONJWE(JSONObject(parsing: text, limits: policy.limits.json), limits: policy.limits)
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
    let encryptedKey = try Base64URL.decode(recipient.encryptedKey)
    let additionalData = try message.additionalData.map { text throws(AuthError) in try Base64URL.decode(text) } ?? []
    let sealed = SealedMessage(
      nonce: try Base64URL.decode(message.nonce), ciphertext: try Base64URL.decode(message.ciphertext),
      tag: try Base64URL.decode(message.tag))

    let contentKey = try key.openContentKey(encryptedKey, whole, algorithm, encryption)
    let plaintext = try encryption.cipher.open(sealed, authenticating: message.authenticated, key: contentKey)
    return DecryptedMessage(
      header: header, unprotected: unprotected, additionalData: additionalData, plaintext: plaintext)
  }
}

extension AuthError {
  /// Whether this is the better answer for a message to several recipients: most of them are others.
  fileprivate func says(moreThan other: AuthError?) -> Bool {
    guard let other else { return true }
    if other.code == .unknownKey { return code != .unknownKey }
    return code == .decryptionFailed && other.code != .decryptionFailed
  }
}
