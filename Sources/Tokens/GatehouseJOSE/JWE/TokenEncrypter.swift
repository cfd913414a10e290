import GatehouseBase
public import GatehouseCrypto

/// Encrypts messages to the owner of a key (compact JWE, RFC 7516).
///
/// A shared secret proves to the receiver that the message comes from one of its owners. A public key proves no such
/// thing: sign first, then encrypt the signed token with `encrypt(token:)`. Usable from any thread. With key agreement
/// it makes a key pair for each message, which is slow work: not on a queue that must stay quick.
public struct TokenEncrypter: Sendable {
  private let key: JWK.Key
  /// The algorithm for the content encryption key, `alg`.
  public let algorithm: JWEAlgorithm
  /// The encryption of the content, `enc`.
  public let encryption: ContentEncryption
  /// The key ID in the header, `kid`.
  public let keyID: String?
  /// With key agreement, the sender's name, `apu`: at most 256 bytes. If it is changed, the receiver derives another
  /// key.
  public var partyU: [UInt8] = []
  /// With key agreement, the receiver's name, `apv`: at most 256 bytes.
  public var partyV: [UInt8] = []

  /// Encrypts to the owner of a key pair: with RSA-OAEP-256 or ECDH-ES, unless another algorithm is given.
  ///
  /// Throws `algorithmRefused` if the key does not support it.
  public init(
    key: PublicKey, algorithm: JWEAlgorithm? = nil, encryption: ContentEncryption = .A256GCM, keyID: String? = nil
  ) throws {
    try self.init(JWK(.publicKey(key), keyID: keyID), algorithm: algorithm, encryption: encryption)
  }

  /// Encrypts to the owners of a shared secret: with the secret itself, unless another algorithm is given.
  ///
  /// Throws `algorithmRefused` if the secret does not support it, which depends on its length.
  public init(
    key: SecretKey, algorithm: JWEAlgorithm = .dir, encryption: ContentEncryption = .A256GCM, keyID: String? = nil
  ) throws {
    try self.init(JWK(.symmetric(key), keyID: keyID), algorithm: algorithm, encryption: encryption)
  }

  /// Encrypts to the owner of a JWK, with its `kid` in the header. Its `alg`, `use` and `key_ops` must allow that.
  ///
  /// Uses the public half of a key pair. Throws `algorithmRefused` if the key does not allow it.
  public init(
    _ jwk: JWK, algorithm: JWEAlgorithm? = nil, encryption: ContentEncryption? = nil
  ) throws {
    let encryption = encryption ?? jwk.usualEncryption
    guard let algorithm = algorithm ?? jwk.usualEncryptionAlgorithm, jwk.encrypts(algorithm, encryption) else {
      throw AuthError(.algorithmRefused, "this key does not support encryption with the requested algorithms")
    }
    key = jwk.key.publicKey.map(JWK.Key.publicKey) ?? jwk.key
    self.algorithm = algorithm
    self.encryption = encryption
    keyID = jwk.keyID
  }

  /// Encrypts a message, with `type` as its `typ` and `contentType`, the kind of its content, as its `cty`.
  ///
  /// Throws `invalidArgument` if `partyU` or `partyV` is too long.
  public func encrypt(
    _ plaintext: [UInt8], type: String? = nil, contentType: String? = nil
  ) throws -> String {
    var header: JSONObject = ["alg": .string(algorithm.rawValue), "enc": .string(encryption.rawValue)]
    if let keyID { header["kid"] = .string(keyID) }
    if let type { header["typ"] = .string(type) }
    if let contentType { header["cty"] = .string(contentType) }
    return try encrypt(plaintext, header: header, randomness: EncryptionRandomness())
  }

  /// Encrypts a token that a `TokenSigner` has signed (RFC 7519 §5.2), for a `NestedTokenVerifier`.
  public func encrypt(token: String) throws -> String {
    try encrypt(Array(token.utf8), type: "JWT", contentType: "JWT")
  }

  /// Encrypts with a given header, to which the key's members are added: for the examples of the RFCs, and for tests,
  /// which make invalid messages with it.
  package func encrypt(
    _ plaintext: [UInt8], header: JSONObject, randomness: EncryptionRandomness
  ) throws(AuthError) -> String {
    let contentKey = try contentKey(randomness)
    var header = header
    for member in contentKey.members.members { header[member.name] = member.value }
    let protected = Base64URL.encodedBytes(header.serialized())
    let sealed = try encryption.cipher.seal(
      plaintext, authenticating: protected, key: contentKey.key, nonce: randomness.nonce(encryption))
    var message = protected
    for part in [contentKey.encrypted, sealed.nonce, sealed.ciphertext, sealed.tag] {
      message.append(UInt8(ascii: "."))
      Base64URL.append(part.span, to: &message)
    }
    return String(decoding: message, as: UTF8.self)
  }

  /// Makes a key for one message.
  func contentKey(_ randomness: EncryptionRandomness) throws(AuthError) -> SealedContentKey {
    guard max(partyU.count, partyV.count) <= KeyAgreement.maximumPartyLength else {
      throw AuthError(
        .invalidArgument, "`apu` and `apv` must have at most \(KeyAgreement.maximumPartyLength) bytes each")
    }
    return try key.sealContentKey(algorithm, encryption, partyU: partyU, partyV: partyV, randomness: randomness)
  }
}

extension JWK {
  /// The default algorithm for encryption.
  fileprivate var usualEncryptionAlgorithm: JWEAlgorithm? {
    switch (algorithm, key) {
    case (.encryption(let algorithm)?, _): algorithm
    case (.contentEncryption?, _), (nil, .symmetric): .dir
    case (nil, _): JWEAlgorithm.allCases.first(where: key.serves)
    case (.signature?, _): nil
    }
  }

  fileprivate var usualEncryption: ContentEncryption {
    switch (algorithm, key) {
    case (.contentEncryption(let encryption)?, _): encryption
    case (nil, .symmetric(let key)), (.encryption(.dir)?, .symmetric(let key)):
      ContentEncryption(forKeyOf: key.count) ?? .A256GCM
    default: .A256GCM
    }
  }
}
