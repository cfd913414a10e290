public import GatehouseBase
public import GatehouseHTTP

/// The response to a request whose user is unknown: its status, header fields and body, for any web framework.
///
/// The challenges in `WWW-Authenticate` are those of RFC 6750 §3 and RFC 9449 §7.1, with a header field for each scheme
/// that the server accepts. Nothing in the response comes from the client.
public struct AuthenticationRefusal: Sendable {
  /// The reason why a request is rejected.
  public enum Reason: String, Sendable, Hashable {
    /// The request has no credential of an accepted kind. The challenge names no error, as RFC 6750 §3.1 requires.
    case missing = "unauthorized"
    /// The request's credential is malformed, or there are two, or the path that its proof must be for is malformed:
    /// 400.
    case malformed = "invalid_request"
    /// The token or session cookie is invalid, expired or revoked, or is bound to a key and has no proof.
    case invalidToken = "invalid_token"
    /// The DPoP proof is invalid.
    case invalidProof = "invalid_dpop_proof"
    /// The DPoP proof needs the nonce in `DPoP-Nonce`.
    case nonceRequired = "use_dpop_nonce"
    /// A page of another origin has sent a modifying request with a session cookie: 403.
    case crossOrigin = "cross_origin"
  }

  /// The reason.
  public let reason: Reason
  /// The status: 401, 400 for `malformed`, or 403 for `crossOrigin`.
  public let status: Int
  /// The header fields.
  public let headers: TransportHeaders
  /// The fault, for the server's log: never the token, the proof or the cookie. `nil` if the reason says everything.
  public let cause: AuthError?

  /// `{"error", "error_description"}`.
  public var body: [UInt8] {
    JSONValue.object(["error": .string(reason.rawValue), "error_description": .string(reason.text)]).serialized()
  }

  /// - Parameters:
  ///   - reason: the reason.
  ///   - cause: the fault.
  ///   - shown: the scheme that the request used, whose challenge names the error; `nil` for none.
  ///   - proofs: verifies proofs, if the server accepts them.
  ///   - realm: the part of the server for which the token is needed.
  init(
    _ reason: Reason, cause: AuthError? = nil, shown: Scheme? = nil, proofs: DPoPVerifier?, realm: String?
  ) throws(AuthError) {
    self.reason = reason
    self.cause = cause
    status = reason.status
    var headers: TransportHeaders = ["Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"]
    if reason != .crossOrigin {
      headers.add("WWW-Authenticate", Self.bearerChallenge(shown == .bearer ? reason : nil, realm: realm))
      if let proofs {
        var challenge = DPoPChallenge(algorithms: proofs.algorithms, realm: realm).wwwAuthenticate
        if shown == .dpop, let error = DPoPChallenge.Reason(rawValue: reason.rawValue) {
          challenge = DPoPChallenge(error, algorithms: proofs.algorithms, realm: realm).wwwAuthenticate
        }
        headers.add("WWW-Authenticate", challenge)
        headers[DPoPNonces.headerName] = try typed { try proofs.nonce() }
      }
    }
    self.headers = headers
  }

  /// A scheme of the header field `Authorization`.
  enum Scheme { case bearer, dpop }

  private static func bearerChallenge(_ reason: Reason?, realm: String?) -> String {
    var parameters: [String] = []
    if let realm { parameters.append("realm=\"\(realm.quotable)\"") }
    if let reason, reason != .missing {
      parameters.append("error=\"\(reason.rawValue)\"")
      parameters.append("error_description=\"\(reason.text)\"")
    }
    return parameters.isEmpty ? "Bearer" : "Bearer " + parameters.joined(separator: ", ")
  }
}

extension AuthenticationRefusal.Reason {
  fileprivate var status: Int {
    switch self {
    case .malformed: 400
    case .crossOrigin: 403
    case .missing, .invalidToken, .invalidProof, .nonceRequired: 401
    }
  }

  /// A text for the client's developer, without quotes and backslashes.
  fileprivate var text: String {
    switch self {
    case .missing: "The request needs a credential"
    case .malformed: "The request or its credential is malformed, or there are two credentials"
    case .invalidToken: "The credential is invalid, expired or revoked"
    case .invalidProof: "The DPoP proof is invalid"
    case .nonceRequired: "The DPoP proof needs the nonce in DPoP-Nonce"
    case .crossOrigin: "A page of another origin may not do this with the session cookie"
    }
  }
}

extension AuthenticationRefusal: CustomStringConvertible, CustomReflectable {
  /// The status and the reason.
  public var description: String { "\(status) \(reason.rawValue)" }
  /// The same members, and no others, because the header fields contain a nonce.
  public var customMirror: Mirror { Mirror(self, children: ["status": status, "reason": reason]) }
}
