public import GatehouseBase
public import GatehouseCrypto

/// Makes signed tokens with one key.
///
/// Signing with a private key is slow: not on a queue that must stay quick. Any thread, all at once.
public struct TokenSigner: Sendable {
  private let key: JWK.Key
  public let algorithm: JWSAlgorithm
  public let keyID: String?

  /// Throws `algorithmRefused` if the key does not sign with the algorithm.
  public init(key: PrivateKey, algorithm: JWSAlgorithm? = nil, keyID: String? = nil) throws(AuthError) {
    try self.init(JWK(.privateKey(key), keyID: keyID), algorithm: algorithm ?? JWSAlgorithm(for: key.type))
  }

  /// Throws `algorithmRefused` for any algorithm but HS256.
  public init(key: SymmetricKey, algorithm: JWSAlgorithm = .HS256, keyID: String? = nil) throws(AuthError) {
    try self.init(JWK(.symmetric(key), keyID: keyID), algorithm: algorithm)
  }

  /// Signs with a JWK, under its name; its `alg`, `use` and `key_ops` must allow that.
  public init(_ jwk: JWK, algorithm: JWSAlgorithm? = nil) throws(AuthError) {
    let algorithm = algorithm ?? jwk.algorithm ?? jwk.key.publicKey.map { JWSAlgorithm(for: $0.type) } ?? .HS256
    guard jwk.signs(algorithm) else {
      throw AuthError(.algorithmRefused, "this key does not sign with \(algorithm.rawValue)")
    }
    key = jwk.key
    self.algorithm = algorithm
    keyID = jwk.keyID
  }

  /// A signed token with these claims, and `type` as its `typ`.
  public func sign(_ claims: JSONObject, type: String? = "JWT") throws(AuthError) -> String {
    try sign(payload: claims.serialized(), type: type)
  }

  /// A signed token whose payload is any bytes (a JWS in compact form).
  public func sign(payload: [UInt8], type: String? = nil) throws(AuthError) -> String {
    var header: JSONObject = ["alg": .string(algorithm.rawValue)]
    if let keyID { header["kid"] = .string(keyID) }
    if let type { header["typ"] = .string(type) }
    return try sign(payload: payload, header: header)
  }

  /// Signs under a header as it is given: tests make refused tokens with it.
  package func sign(payload: [UInt8], header: JSONObject) throws(AuthError) -> String {
    let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(payload)
    return input + "." + Base64URL.encode(try signature(of: Array(input.utf8)))
  }

  package func signature(of message: [UInt8]) throws(AuthError) -> [UInt8] {
    switch (key, algorithm.signature) {
    case (.symmetric(let key), nil): try key.authenticate(message)
    case (.privateKey(let key), let signature?): try key.sign(message, with: signature)
    default: throw AuthError(.algorithmRefused, "this key does not sign with \(algorithm.rawValue)")
    }
  }
}
