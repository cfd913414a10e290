public import GatehouseBase
public import GatehouseCrypto

/// Makes signed tokens with one key.
///
/// Keep and reuse it: OpenSSL's state is set up once. Signing with a private key is slow: not on a queue that must stay
/// quick. Usable from any thread.
public struct TokenSigner: Sendable {
  private let maker: Maker
  /// The algorithm of the signatures, `alg`.
  public let algorithm: JWSAlgorithm
  /// The key ID in the headers, `kid`.
  public let keyID: String?
  /// Members of each header besides `alg`, `kid` and `typ`: see `withHeader(_:)`.
  public private(set) var headerMembers: JSONObject = [:]
  /// The public half of the key for verifiers, with its ID and its algorithm; `nil` for a shared secret.
  public let publicJWK: JWK?
  /// The header for tokens of the type `JWT`, in base64url, with its dot.
  private var tokenHeader: [UInt8]

  /// Throws `algorithmRefused` if the key does not support the algorithm.
  public init(key: PrivateKey, algorithm: JWSAlgorithm? = nil, keyID: String? = nil) throws {
    try self.init(JWK(.privateKey(key), keyID: keyID), algorithm: algorithm)
  }

  /// Throws `algorithmRefused` for an algorithm that is not for shared secrets, or that needs a longer one.
  public init(key: SecretKey, algorithm: JWSAlgorithm = .HS256, keyID: String? = nil) throws {
    try self.init(JWK(.symmetric(key), keyID: keyID), algorithm: algorithm)
  }

  /// Signs with a JWK and its key ID. Its `alg`, `use` and `key_ops` must allow that. Throws `keyInvalid` for a key ID
  /// of more than 256 bytes.
  public init(_ jwk: JWK, algorithm: JWSAlgorithm? = nil) throws {
    guard let algorithm = algorithm ?? jwk.usualAlgorithm, jwk.signs(algorithm) else {
      throw AuthError(
        .algorithmRefused, "this key does not support signing with \(algorithm?.rawValue ?? "any algorithm")")
    }
    try jwk.requireReadableKeyID()
    maker = try Maker(jwk.key, algorithm)
    self.algorithm = algorithm
    keyID = jwk.keyID
    publicJWK = try jwk.publicJWK?.relabelled(algorithm: .signature(algorithm), use: jwk.use ?? "sig")
    tokenHeader = Self.spelled(.signed(algorithm, keyID, type: "JWT"))
  }

  /// Returns the same signer with more members in each header.
  ///
  /// Throws `keyInvalid` if the first certificate is for another key, `invalidArgument` for a member that the signer
  /// writes itself and for data that its key does not have, and `tokenTooLarge` or `jsonTooLarge` for a header that
  /// Gatehouse's verifiers reject.
  public func withHeader(_ header: SignatureHeader) throws -> TokenSigner {
    var signer = self
    signer.headerMembers = try header.checkedMembers(publicJWK)
    let whole = JSONObject.signed(algorithm, keyID, type: "JWT", signer.headerMembers)
    signer.tokenHeader = Self.spelled(whole)
    guard signer.tokenHeader.count - 1 <= signer.limits.header else {
      throw AuthError(.tokenTooLarge, "the header is longer than \(signer.limits.header) bytes")
    }
    _ = try JSONObject(reading: whole.serialized(), limits: signer.limits.json)
    return signer
  }

  /// The limits of a verifier for these tokens.
  private var limits: TokenLimits { headerMembers["x5c"] == nil ? .standard : .withCertificates }

  /// Signs a token with these claims, and `type` as its `typ`.
  public func sign(_ claims: JSONObject, type: String? = "JWT") throws -> String {
    try sign(payload: claims.serialized(), type: type)
  }

  /// Signs a token with the claims of a type of the caller: dates are whole seconds since 1970, members are sorted by
  /// name.
  ///
  /// Throws the errors of `JSONObject.init(claims:limits:)`, and `tokenTooLarge` for a token that is longer than
  /// `limits` allow. `nil` stands for `standard`, or `withCertificates` for a header with certificates.
  @_disfavoredOverload  // A dictionary literal stays a `JSONObject`, which keeps its order.
  public func sign(
    _ claims: some Encodable, type: String? = "JWT", limits: TokenLimits? = nil
  ) throws -> String {
    let limits = limits ?? self.limits
    let token = try sign(JSONObject(claims: claims, limits: limits.json), type: type)
    guard token.utf8.count <= limits.token else {
      throw AuthError(.tokenTooLarge, "the token is longer than \(limits.token) bytes")
    }
    return token
  }

  /// Signs a token whose payload is any bytes (a JWS in compact form).
  public func sign(payload: [UInt8], type: String? = nil) throws -> String {
    guard type == "JWT" else {
      return try sign(payload: payload, header: .signed(algorithm, keyID, type: type, headerMembers))
    }
    return try sign(payload.span, after: tokenHeader)
  }

  /// Signs with a given header. Tests make invalid tokens with it.
  package func sign(payload: [UInt8], header: JSONObject) throws(AuthError) -> String {
    try sign(payload.span, after: Self.spelled(header))
  }

  /// Makes only the signature of a message, in JOSE's form.
  public func signature(of message: [UInt8]) throws(AuthError) -> [UInt8] { try maker.signature(of: message.span) }

  private func sign(_ payload: Span<UInt8>, after header: [UInt8]) throws(AuthError) -> String {
    var token = header
    // Reserves the rest, so that the token is moved once: only RSA signatures of more than 4096 bits are longer.
    token.reserveCapacity(header.count + Base64URL.encodedCount(payload.count) + 1 + 684)
    Base64URL.append(payload, to: &token)
    let signature = try maker.signature(of: token.span)
    token.append(UInt8(ascii: "."))
    Base64URL.append(signature.span, to: &token)
    return String(decoding: token, as: UTF8.self)
  }

  private static func spelled(_ header: JSONObject) -> [UInt8] {
    Base64URL.encodedBytes(header.serialized()) + [UInt8(ascii: ".")]
  }
}

extension TokenSigner: CustomStringConvertible, CustomReflectable {
  private var summary: TokenSummary { TokenSummary("TokenSigner", algorithm: algorithm.rawValue, keyID: keyID) }
  /// The algorithm and the key ID: no byte of the key or of a header.
  public var description: String { summary.description }
  /// The same members, and no others.
  public var customMirror: Mirror { summary.mirror(of: self) }
}

/// Makes the signatures.
private enum Maker: Sendable {
  case keyPair(MessageSigner)
  case secret(MessageAuthenticator)

  init(_ key: JWK.Key, _ algorithm: JWSAlgorithm) throws(AuthError) {
    switch key {
    case .privateKey(let key):
      if let way = algorithm.signature(for: key.type) {
        self = .keyPair(try typed { try MessageSigner(key: key, algorithm: way) })
        return
      }
    case .symmetric(let key):
      if let hash = algorithm.mac {
        self = .secret(try typed { try MessageAuthenticator(key: key, hash: hash) })
        return
      }
    case .publicKey: break
    }
    throw AuthError(.algorithmRefused, "this key does not support signing with \(algorithm.rawValue)")
  }

  func signature(of message: Span<UInt8>) throws(AuthError) -> [UInt8] {
    switch self {
    case .keyPair(let signer): try typed { try signer.sign(message) }
    case .secret(let authenticator): try typed { try authenticator.tag(of: message) }
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
