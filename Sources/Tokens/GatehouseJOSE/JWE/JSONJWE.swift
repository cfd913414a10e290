import GatehouseBase

/// The parts of an encrypted message in JSON (RFC 7516 §7.2). Nothing is decrypted yet.
struct JSONJWE {
  /// One receiver's part.
  struct Recipient {
    let header: JSONObject
    /// In base64url; empty if the key is not sent.
    let encryptedKey: String
  }

  /// In base64url, as it is authenticated.
  let protected: String
  let members: JSONObject
  let shared: JSONObject
  let recipients: [Recipient]
  let nonce: String
  let ciphertext: String
  let tag: String
  /// In base64url; `nil` if there is none.
  let additionalData: String?

  /// The data that the tag authenticates besides the content (RFC 7516 §5.1).
  var authenticated: [UInt8] {
    Array(protected.utf8) + (additionalData.map { [UInt8(ascii: ".")] + Array($0.utf8) } ?? [])
  }

  init(_ message: JSONObject, limits: TokenLimits) throws(AuthError) {
    guard let protected = try message.text("protected"), !protected.isEmpty else {
      throw AuthError(.headerInvalid, "`enc` must be in the protected header, which is missing")
    }
    guard protected.utf8.count <= limits.header else {
      throw AuthError(.tokenTooLarge, "the message's header is longer than \(limits.header) bytes")
    }
    self.protected = protected
    members = try JSONObject(reading: Base64URL.bytes(of: protected), limits: limits.json)
    shared = try message.header("unprotected")
    nonce = try message.text("iv") ?? ""
    tag = try message.text("tag") ?? ""
    guard let ciphertext = try message.text("ciphertext") else {
      throw AuthError(.tokenMalformed, "the message has no `ciphertext`")
    }
    self.ciphertext = ciphertext
    additionalData = try message.text("aad")
    guard additionalData?.isEmpty != true else {
      throw AuthError(.tokenMalformed, "`aad` must not be empty; leave it out")
    }
    recipients = try Self.recipients(of: message)
    for recipient in recipients { try checkNames(of: recipient) }
  }

  private static func recipients(of message: JSONObject) throws(AuthError) -> [Recipient] {
    guard let list = message["recipients"] else { return [try recipient(message)] }
    guard message["header"] == nil, message["encrypted_key"] == nil else {
      throw AuthError(.tokenMalformed, "the message mixes general and flattened JSON")
    }
    guard let list = list.array, (1...TokenDecrypter.maximumRecipients).contains(list.count) else {
      throw AuthError(
        .tokenMalformed, "a message must have 1 to \(TokenDecrypter.maximumRecipients) recipients")
    }
    var recipients: [Recipient] = []
    for element in list {
      guard let object = element.object else { throw AuthError(.tokenMalformed, "a recipient must be a JSON object") }
      recipients.append(try recipient(object))
    }
    return recipients
  }

  private static func recipient(_ object: JSONObject) throws(AuthError) -> Recipient {
    let key = try object.text("encrypted_key")
    guard key?.isEmpty != true else {
      throw AuthError(.tokenMalformed, "`encrypted_key` must not be empty; leave it out")
    }
    return Recipient(header: try object.header("header"), encryptedKey: key ?? "")
  }

  /// Checks that the three parts of a header have no name in common (RFC 7516 §7.2.1), and that members which change
  /// the message itself are protected.
  private func checkNames(of recipient: Recipient) throws(AuthError) {
    for (part, others) in [(shared, [members]), (recipient.header, [members, shared])] {
      for name in part.names {
        guard others.allSatisfy({ $0[name] == nil }) else {
          throw AuthError(.headerInvalid, "a member is in more than one part of the header")
        }
        guard !["enc", "crit", "zip", "b64"].contains(where: { $0.isExactly(name) }) else {
          throw AuthError(.headerInvalid, "`\(name)` must be in the protected header")
        }
      }
    }
  }

  /// The members that anyone on the way could change, and all members, for one receiver.
  func header(for recipient: Recipient) -> (unprotected: JSONObject, whole: JSONObject) {
    var unprotected = shared
    for member in recipient.header.members { unprotected[member.name] = member.value }
    var whole = members
    for member in unprotected.members { whole[member.name] = member.value }
    return (unprotected, whole)
  }
}

extension JSONObject {
  fileprivate func text(_ name: String) throws(AuthError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw AuthError(.tokenMalformed, "`\(name)` must be a string") }
    return text
  }

  fileprivate func header(_ name: String) throws(AuthError) -> JSONObject {
    guard let value = self[name] else { return [:] }
    guard let header = value.object else { throw AuthError(.headerInvalid, "`\(name)` must be a JSON object") }
    return header
  }
}
