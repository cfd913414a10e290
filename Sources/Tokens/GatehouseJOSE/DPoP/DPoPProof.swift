public import FoundationEssentials
public import GatehouseBase
public import GatehouseCrypto

/// A proof of possession (DPoP, RFC 9449) that a `DPoPVerifier` has verified: the sender of the request holds the key.
public struct DPoPProof: Sendable {
  /// The key that signed it.
  public let key: PublicKey
  /// The key's thumbprint (RFC 7638), which access tokens contain in `cnf.jkt`.
  public let thumbprint: String
  /// The proof's ID, `jti`.
  public let tokenID: String
  /// The time when it was made, `iat`.
  public let issuedAt: Date
  /// All claims of the proof.
  public let claims: JSONObject

  /// The hash of an access token as proofs contain it, `ath`.
  static func hash(of accessToken: String) throws(AuthError) -> String {
    Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array(accessToken.utf8)))
  }
}

extension DPoPProof: CustomStringConvertible, CustomReflectable {
  private var time: String { Date.ISO8601FormatStyle().format(issuedAt) }
  /// The key's thumbprint and the time: never the nonce or another claim.
  public var description: String { "DPoPProof(jkt: \"\(thumbprint)\", iat: \(time))" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["jkt": thumbprint, "iat": time]) }
}

/// The request that a proof must be for.
public struct DPoPRequest: Sendable {
  /// The HTTP method, `htm`, as it was sent: `POST`.
  public var method: String
  /// The request's URI, `htu`: the whole URI, with scheme and host as the client sees them. Query and fragment do not
  /// count. If you append the request's path to your server's URL, reject a path that does not begin with `/`: a client
  /// may send `.evil.example/`.
  public var uri: String
  /// The access token that came with the proof; `nil` if none is expected, as at a token endpoint.
  public var accessToken: String?
  /// The thumbprint that the access token is bound to, its `cnf.jkt`. An access token without one is rejected, whatever
  /// the proof. At a token endpoint, the thumbprint of the key that a refresh token or code is bound to.
  public var boundThumbprint: String?
  /// The nonce that this server has requested, if it makes its own. See `DPoPVerifier.nonces`.
  public var nonce: String?
  /// The user or client of a verified access token; `nil` without one.
  var sender: JSONValue?

  /// Makes the description of a request.
  public init(
    method: String, uri: String, accessToken: String? = nil, boundThumbprint: String? = nil, nonce: String? = nil
  ) {
    self.method = method
    self.uri = uri
    self.accessToken = accessToken
    self.boundThumbprint = boundThumbprint
    self.nonce = nonce
  }

  /// Makes the description of a request with a verified access token, which must be bound to a key. Unless the call
  /// names a share, its proof counts against that of the token's issuer and `sub`, or of its `client_id`.
  ///
  /// Throws `proofMismatch` for a token that is not bound to a key: any proof would match it. Throws `claimInvalid` for
  /// a token whose `cnf` names another key too (`x5t#S256`, `jwk`, `jwe`, `jku`): this proof would cover only one of
  /// two.
  public init(method: String, uri: String, accessToken: String, verified token: VerifiedToken) throws {
    guard let thumbprint = token["cnf"]?["jkt"]?.string else {
      throw AuthError(.proofMismatch, "the access token is not bound to a key (`cnf.jkt` is missing)")
    }
    try BindingRule.requireOneKey(in: token["cnf"])
    self.init(method: method, uri: uri, accessToken: accessToken, boundThumbprint: thumbprint)
    if let name = token["sub"] ?? token["client_id"] { sender = ["token", token["iss"] ?? .null, name] }
  }
}

extension DPoPRequest: CustomStringConvertible, CustomReflectable {
  /// The method and the URI without its query, never the access token.
  public var description: String { "DPoPRequest(\(method) \(HTTPTarget(uri)?.uri ?? "?"))" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["method": method, "uri": HTTPTarget(uri)?.uri ?? "?"]) }
}
