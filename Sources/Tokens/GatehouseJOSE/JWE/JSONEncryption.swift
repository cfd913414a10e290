public import GatehouseBase
import GatehouseCrypto

// Messages in JSON (RFC 7516 §7.2): with readable additional data, unprotected members, and several receivers.
extension TokenEncrypter {
  /// Encrypts a message in flattened JSON (RFC 7516 §7.2.2). The whole header except `unprotected` is protected.
  ///
  /// Throws `invalidArgument` if `unprotected` has a member of the protected header, or one that must be protected.
  ///
  /// - Parameters:
  ///   - plaintext: the content.
  ///   - type: `typ`.
  ///   - contentType: `cty`, the kind of the content.
  ///   - additionalData: `aad`: sent readable beside the content, and authenticated with it.
  ///   - unprotected: members of the header that anyone on the way may change.
  public func encryptJSON(
    _ plaintext: [UInt8], type: String? = nil, contentType: String? = nil, additionalData: [UInt8] = [],
    unprotected: JSONObject = [:]
  ) throws -> JSONObject {
    try unprotected.refuseNames(Self.protectedNames)
    let contentKey = try contentKey(EncryptionRandomness())
    var header: JSONObject = ["alg": .string(algorithm.rawValue), "enc": .string(encryption.rawValue)]
    if let keyID { header["kid"] = .string(keyID) }
    header.add(type: type, contentType: contentType)
    for member in contentKey.members.members { header[member.name] = member.value }
    var message: JSONObject = ["protected": .string(Base64URL.encode(header.serialized()))]
    if !unprotected.isEmpty { message["unprotected"] = .object(unprotected) }
    if !contentKey.encrypted.isEmpty { message["encrypted_key"] = .string(Base64URL.encode(contentKey.encrypted)) }
    try message.seal(plaintext, additionalData, encryption, contentKey.key)
    return message
  }

  /// Encrypts a message to several receivers in general JSON (RFC 7516 §7.2.1).
  ///
  /// The content is encrypted once; `alg`, `kid` and the members of the key are in each receiver's own header. Any
  /// receiver could write another message to the others that looks the same: sign first if that matters. Throws
  /// `invalidArgument` for no receivers or more than `TokenDecrypter.maximumRecipients`, for receivers with different
  /// `encryption`, and for several receivers of which one uses `dir` or `ECDH-ES`, because then no key is made for the
  /// message.
  public static func encryptJSON(
    _ plaintext: [UInt8], to receivers: [TokenEncrypter], type: String? = nil, contentType: String? = nil,
    additionalData: [UInt8] = [], unprotected: JSONObject = [:]
  ) throws -> JSONObject {
    try unprotected.refuseNames(protectedNames)
    guard let first = receivers.first, receivers.count <= TokenDecrypter.maximumRecipients else {
      throw AuthError(
        .invalidArgument,
        "a message needs 1 to \(TokenDecrypter.maximumRecipients) receivers, not \(receivers.count)")
    }
    guard receivers.allSatisfy({ $0.encryption == first.encryption }) else {
      throw AuthError(.invalidArgument, "all receivers of a message need the same `enc`")
    }
    guard receivers.count == 1 || !receivers.contains(where: \.algorithm.isDirect) else {
      throw AuthError(.invalidArgument, "`dir` and `ECDH-ES` are for one receiver")
    }
    var key = try first.encryption.cipher.makeKey()
    var recipients: [JSONValue] = []
    for receiver in receivers {
      let contentKey = try receiver.contentKey(EncryptionRandomness(contentKey: key))
      key = contentKey.key
      var header: JSONObject = ["alg": .string(receiver.algorithm.rawValue)]
      if let keyID = receiver.keyID { header["kid"] = .string(keyID) }
      for member in contentKey.members.members { header[member.name] = member.value }
      var recipient: JSONObject = ["header": .object(header)]
      if !contentKey.encrypted.isEmpty {
        recipient["encrypted_key"] = .string(Base64URL.encode(contentKey.encrypted))
      }
      recipients.append(.object(recipient))
    }
    var header: JSONObject = ["enc": .string(first.encryption.rawValue)]
    header.add(type: type, contentType: contentType)
    var message: JSONObject = ["protected": .string(Base64URL.encode(header.serialized()))]
    if !unprotected.isEmpty { message["unprotected"] = .object(unprotected) }
    message["recipients"] = .array(recipients)
    try message.seal(plaintext, additionalData, first.encryption, key)
    return message
  }

  /// The names that this type writes, or that must be protected.
  private static let protectedNames = [
    "alg", "enc", "kid", "typ", "cty", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c", "crit", "zip", "b64",
  ]
}

extension JSONObject {
  fileprivate mutating func add(type: String?, contentType: String?) {
    if let type { self["typ"] = .string(type) }
    if let contentType { self["cty"] = .string(contentType) }
  }

  /// Encrypts the content with the protected header authenticated, and adds the results.
  fileprivate mutating func seal(
    _ plaintext: [UInt8], _ additionalData: [UInt8], _ encryption: ContentEncryption, _ key: SecretBytes
  ) throws(AuthError) {
    var authenticated = Array((self["protected"]?.string ?? "").utf8)
    if !additionalData.isEmpty {
      let text = Base64URL.encode(additionalData)
      self["aad"] = .string(text)
      authenticated += [UInt8(ascii: ".")] + Array(text.utf8)
    }
    let sealed = try encryption.cipher.seal(plaintext, authenticating: authenticated, key: key)
    self["iv"] = .string(Base64URL.encode(sealed.nonce))
    self["ciphertext"] = .string(Base64URL.encode(sealed.ciphertext))
    self["tag"] = .string(Base64URL.encode(sealed.tag))
  }
}
