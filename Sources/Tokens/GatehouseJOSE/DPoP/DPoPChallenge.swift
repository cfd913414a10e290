public import GatehouseBase
public import GatehouseHTTP

/// The response to a rejected request: the header field `WWW-Authenticate` of RFC 9449 §7.1 and §9.
///
/// The text says which of three things was wrong, but not why. The header field is always well formed, whatever the
/// input: no part of it can end the quotes or the line.
public struct DPoPChallenge: Sendable, Hashable {
  /// The rejected part of a request, by its name in RFC 6750 §3.1 and RFC 9449.
  public enum Reason: String, Sendable, Hashable {
    /// The access token.
    case invalidToken = "invalid_token"
    /// The proof.
    case invalidProof = "invalid_dpop_proof"
    /// The proof needs a nonce from this server: send the request again with the one in `DPoP-Nonce`.
    case nonceRequired = "use_dpop_nonce"
  }

  /// The rejected part; `nil` for a request without a token.
  public let reason: Reason?
  /// A sentence for the client's developer.
  public let description: String?
  /// The algorithms of proofs that are accepted.
  public let algorithms: Set<JWSAlgorithm>
  /// The part of the server for which the token is needed (RFC 9110 §11.5).
  public let realm: String?
  /// The nonce for the client's next proof. It is not printed.
  public internal(set) var nonce: String? {
    get { hiddenNonce?.revealed }
    set { hiddenNonce = newValue.map(Secret.init) }
  }
  private var hiddenNonce: Secret?

  /// Makes a response. Bytes that the header field must not contain become `?`.
  ///
  /// - Parameters:
  ///   - reason: the rejected part; `nil` for a request without a token.
  ///   - description: a sentence for the client's developer; `nil` for the reason's default.
  ///   - algorithms: the algorithms of proofs that are accepted.
  ///   - realm: the part of the server for which the token is needed.
  public init(
    _ reason: Reason? = nil, description: String? = nil, algorithms: Set<JWSAlgorithm>, realm: String? = nil
  ) {
    self.reason = reason
    self.description = (description ?? reason?.text)?.withoutQuotes
    self.algorithms = algorithms
    self.realm = realm
  }

  /// The value of the header field `WWW-Authenticate`, for the status 401.
  public var wwwAuthenticate: String {
    var parameters: [String] = []
    if let realm { parameters.append("realm=\"\(realm.quotable)\"") }
    if let reason { parameters.append("error=\"\(reason.rawValue)\"") }
    if reason != nil, let description { parameters.append("error_description=\"\(description)\"") }
    if !algorithms.isEmpty {
      parameters.append("algs=\"\(algorithms.map(\.rawValue).sorted().joined(separator: " "))\"")
    }
    return parameters.isEmpty ? "DPoP" : "DPoP " + parameters.joined(separator: ", ")
  }

  /// The header fields of the response: `WWW-Authenticate`, `DPoP-Nonce` if there is a nonce, and `Cache-Control`,
  /// because a stored nonce expires.
  public var headers: TransportHeaders {
    var headers: TransportHeaders = ["WWW-Authenticate": wwwAuthenticate, "Cache-Control": "no-store"]
    headers[DPoPNonces.headerName] = nonce
    return headers
  }

  /// The body of a token endpoint's response with the status 400 (RFC 6749 §5.2).
  public var body: JSONObject {
    var body = JSONObject()
    body["error"] = .string((reason ?? .invalidProof).rawValue)
    if let description { body["error_description"] = .string(description) }
    return body
  }
}

extension DPoPVerifier {
  /// The response to a request without a token: the accepted algorithms, and a nonce if proofs need one.
  public func challenge(realm: String? = nil) throws -> DPoPChallenge {
    try challenge(nil, realm)
  }

  /// The response to a request whose proof was rejected with an error of `verify`.
  ///
  /// `nil` if the error is not the proof's fault, such as a full replay store or a cancelled call: respond with 429
  /// (`replayShareFull`) or 503. The error's message is not in the response.
  public func challenge(refusingProof error: any Error, realm: String? = nil) throws -> DPoPChallenge? {
    guard let code = (error as? AuthError)?.code, code.isSendersFault else { return nil }
    return try challenge(code == .proofNonceRequired ? .nonceRequired : .invalidProof, realm)
  }

  /// The response to a request whose access token was rejected with an error of its verifier.
  ///
  /// `nil` if the error is not the token's fault, such as `keysUnavailable`: respond with 503. The error's message is
  /// not in the response.
  public func challenge(refusingToken error: any Error, realm: String? = nil) throws -> DPoPChallenge? {
    guard (error as? AuthError)?.code.isSendersFault == true else { return nil }
    return try challenge(.invalidToken, realm)
  }

  private func challenge(_ reason: DPoPChallenge.Reason?, _ realm: String?) throws(AuthError) -> DPoPChallenge {
    var challenge = DPoPChallenge(reason, algorithms: algorithms, realm: realm)
    challenge.nonce = try typed { try nonce() }
    return challenge
  }
}

extension DPoPChallenge.Reason {
  fileprivate var text: String {
    switch self {
    case .invalidToken: "The access token is invalid, expired or revoked"
    case .invalidProof: "The DPoP proof is invalid"
    case .nonceRequired: "The DPoP proof needs the nonce in DPoP-Nonce"
    }
  }
}

extension AuthError.Code {
  /// Whether the sender caused the error with its token or proof. An unknown error is the server's.
  var isSendersFault: Bool { Self.ofSenders.contains(self) }

  private static let ofSenders: Set<AuthError.Code> = [
    .tokenMalformed, .tokenTooLarge, .algorithmRefused, .unknownKey, .signatureInvalid, .tokenExpired,
    .tokenNotYetValid, .issuerMismatch, .audienceMismatch, .claimInvalid, .typeMismatch, .criticalHeader,
    .headerInvalid, .tokenReplayed, .proofMismatch, .proofNonceRequired, .proofRequired, .tokenRevoked,
    .compressionRefused, .keyInvalid, .keyUnsupported, .certificateInvalid, .certificateUntrusted, .decryptionFailed,
    .jsonMalformed, .jsonDuplicateMember, .jsonTooLarge, .base64Malformed,
  ]
}

extension String {
  /// The text with only the bytes of RFC 6750 §3: printable ASCII without quotes and backslashes.
  fileprivate var withoutQuotes: String {
    String(
      decoding: utf8.map { $0.isPrintable && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") ? $0 : 0x3F },
      as: UTF8.self)
  }

  /// The text as the inside of a quoted string (RFC 9110 §5.6.4), in ASCII.
  var quotable: String {
    var bytes: [UInt8] = []
    for byte in utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte.isPrintable ? byte : UInt8(ascii: "?"))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isPrintable: Bool { (0x20...0x7E).contains(self) }
}
