public import GatehouseBase
public import GatehouseCrypto

/// Makes signed tokens with one key.
///
/// Keep it: what OpenSSL needs is set up once. Signing with a private key is slow: not on a queue that must stay quick.
/// Any thread, all at once.
public struct TokenSigner: Sendable {
  private let maker: Maker
  /// The algorithm of the signatures, `alg`.
  public let algorithm: JWSAlgorithm
  /// The key ID that headers give, `kid`.
  public let keyID: String?
  /// The header of claims without a type of their own, in base64url, with its dot.
  private let tokenHeader: [UInt8]

  /// Throws `algorithmRefused` if the key does not sign with the algorithm.
  public init(key: PrivateKey, algorithm: JWSAlgorithm? = nil, keyID: String? = nil) throws(AuthError) {
    try self.init(JWK(.privateKey(key), keyID: keyID), algorithm: algorithm)
  }

  /// Throws `algorithmRefused` for an algorithm that is not for shared secrets, or that needs a longer one.
  public init(key: SecretKey, algorithm: JWSAlgorithm = .HS256, keyID: String? = nil) throws(AuthError) {
    try self.init(JWK(.symmetric(key), keyID: keyID), algorithm: algorithm)
  }

  /// Signs with a JWK, under its name; its `alg`, `use` and `key_ops` must allow that. Throws `keyInvalid` for a name
  /// of more than 256 bytes.
  public init(_ jwk: JWK, algorithm: JWSAlgorithm? = nil) throws(AuthError) {
    guard let algorithm = algorithm ?? jwk.usualAlgorithm, jwk.signs(algorithm) else {
      throw AuthError(
        .algorithmRefused, "this key does not support signing with \(algorithm?.rawValue ?? "any algorithm")")
    }
    try jwk.requireReadableKeyID()
    maker = try Maker(jwk.key, algorithm)
    self.algorithm = algorithm
    keyID = jwk.keyID
    tokenHeader = Self.spelled(Self.header(algorithm, keyID, type: "JWT"))
  }

  /// A signed token with these claims, and `type` as its `typ`.
  public func sign(_ claims: JSONObject, type: String? = "JWT") throws(AuthError) -> String {
    try sign(payload: claims.serialized(), type: type)
  }

  /// A signed token whose payload is any bytes (a JWS in compact form).
  public func sign(payload: [UInt8], type: String? = nil) throws(AuthError) -> String {
    guard type == "JWT" else { return try sign(payload: payload, header: Self.header(algorithm, keyID, type: type)) }
    return try sign(payload.span, after: tokenHeader)
  }

  /// Signs under a header as it is given: tests make refused tokens with it.
  package func sign(payload: [UInt8], header: JSONObject) throws(AuthError) -> String {
    try sign(payload.span, after: Self.spelled(header))
  }

  /// The bare signature of a message, in JOSE's form.
  public func signature(of message: [UInt8]) throws(AuthError) -> [UInt8] { try maker.signature(of: message.span) }

  private func sign(_ payload: Span<UInt8>, after header: [UInt8]) throws(AuthError) -> String {
    var token = header
    // Room for the rest, so that it is moved once: no signature but RSA's of more than 4096 bits is longer.
    token.reserveCapacity(header.count + Base64URL.encodedCount(payload.count) + 1 + 684)
    Base64URL.append(payload, to: &token)
    let signature = try maker.signature(of: token.span)
    token.append(UInt8(ascii: "."))
    Base64URL.append(signature.span, to: &token)
    return String(decoding: token, as: UTF8.self)
  }

  private static func header(_ algorithm: JWSAlgorithm, _ keyID: String?, type: String?) -> JSONObject {
    var header: JSONObject = ["alg": .string(algorithm.rawValue)]
    if let keyID { header["kid"] = .string(keyID) }
    if let type { header["typ"] = .string(type) }
    return header
  }

  private static func spelled(_ header: JSONObject) -> [UInt8] {
    Base64URL.encodedBytes(header.serialized()) + [UInt8(ascii: ".")]
  }
}

/// What makes the signatures.
private enum Maker: Sendable {
  case keyPair(MessageSigner)
  case secret(MessageAuthenticator)

  init(_ key: JWK.Key, _ algorithm: JWSAlgorithm) throws(AuthError) {
    switch key {
    case .privateKey(let key):
      if let way = algorithm.signature(for: key.type) {
        self = .keyPair(try MessageSigner(key: key, algorithm: way))
        return
      }
    case .symmetric(let key):
      if let hash = algorithm.mac {
        self = .secret(try MessageAuthenticator(key: key, hash: hash))
        return
      }
    case .publicKey: break
    }
    throw AuthError(.algorithmRefused, "this key does not support signing with \(algorithm.rawValue)")
  }

  func signature(of message: Span<UInt8>) throws(AuthError) -> [UInt8] {
    switch self {
    case .keyPair(let signer): try signer.sign(message)
    case .secret(let authenticator): try authenticator.tag(of: message)
    }
  }
}

extension JWK {
  /// The default algorithm for signing.
  fileprivate var usualAlgorithm: JWSAlgorithm? {
    switch (algorithm, key) {
    case (.signature(let algorithm)?, _): algorithm
    case (nil, .publicKey(let key)): JWSAlgorithm(for: key.type)
    case (nil, .privateKey(let key)): JWSAlgorithm(for: key.type)
    case (nil, .symmetric): .HS256
    default: nil
    }
  }
}
