public import GatehouseBase
public import GatehouseCrypto

/// The members of a signer's headers besides `alg`, `kid` and `typ`: see `TokenSigner.withHeader(_:)`.
public struct SignatureHeader: Sendable, Hashable {
  /// The kind of the payload, `cty`; not for tokens.
  public var contentType: String?
  /// The certificates for `x5c`: the key's certificate first, then its chain. The root may be left out.
  public var certificates: [X509Certificate]
  /// Whether the header has `x5t#S256`, the SHA-256 hash of the key's certificate. That is the first of `certificates`,
  /// or the JWK's.
  public var includesCertificateHash: Bool
  /// Whether the header has the public key, `jwk`.
  public var includesKey: Bool
  /// Further members. Names that the signer writes itself are not allowed, nor are members that it would have to act
  /// on, such as `alg`, `kid`, `crit` and `b64`.
  public var members: JSONObject

  /// Makes a header; by default it adds nothing.
  public init(
    contentType: String? = nil, certificates: [X509Certificate] = [], includesCertificateHash: Bool = false,
    includesKey: Bool = false, members: JSONObject = [:]
  ) {
    self.contentType = contentType
    self.certificates = certificates
    self.includesCertificateHash = includesCertificateHash
    self.includesKey = includesKey
    self.members = members
  }

  /// The members for a key's headers. `key` is `nil` for a shared secret.
  func checkedMembers(_ key: JWK?) throws(AuthError) -> JSONObject {
    try members.refuseNames(Self.ownNames)
    var result = JSONObject()
    if let contentType { result["cty"] = .string(contentType) }
    var fingerprint = key?.certificateFingerprint
    if !certificates.isEmpty {
      guard let key, certificates.count <= CertificateChain.maximumLength else {
        throw AuthError(
          .invalidArgument,
          key == nil
            ? "a shared secret has no certificate"
            : "at most \(CertificateChain.maximumLength) certificates can be sent")
      }
      fingerprint = try typed { try key.certified(by: certificates).certificateFingerprint }
      result["x5c"] = .array(certificates.map { .string(Base64.encode($0.der)) })
    }
    if includesCertificateHash {
      guard let fingerprint else {
        throw AuthError(.invalidArgument, "`x5t#S256` needs a certificate")
      }
      result["x5t#S256"] = .string(Base64URL.encode(fingerprint))
    }
    if includesKey {
      guard let key = key?.key else { throw AuthError(.invalidArgument, "a shared secret must not be in a header") }
      result["jwk"] = try typed { try JWK(key).json }
    }
    for member in members.members { result[member.name] = member.value }
    return result
  }

  /// The names that every header has from another source, or that change what is signed.
  static let namesOfEachHeader = ["alg", "kid", "typ", "crit", "b64", "zip"]

  /// The names that `members` must not have.
  private static let ownNames =
    namesOfEachHeader + ["cty", "x5c", "x5t#S256", "jwk", "enc", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"]
}

extension JSONObject {
  /// The header of a signature.
  static func signed(
    _ algorithm: JWSAlgorithm, _ keyID: String?, type: String?, _ members: JSONObject = [:]
  ) -> JSONObject {
    var header: JSONObject = ["alg": .string(algorithm.rawValue)]
    if let keyID { header["kid"] = .string(keyID) }
    if let type { header["typ"] = .string(type) }
    for member in members.members { header[member.name] = member.value }
    return header
  }

  /// Throws `invalidArgument` if a member has one of these names.
  func refuseNames(_ refused: [String]) throws(AuthError) {
    for name in refused where self[name] != nil {
      throw AuthError(
        .invalidArgument, "`\(name)` cannot be a member of one's own: it is written here, or has a meaning of its own")
    }
  }
}
