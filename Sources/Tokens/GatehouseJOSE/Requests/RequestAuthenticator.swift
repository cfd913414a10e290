public import Dispatch
public import Foundation
public import GatehouseBase
public import GatehouseHTTP
import GatehouseQueues

/// The result of authenticating a request.
public enum Authentication: Sendable {
  /// The credential is valid.
  case user(AuthenticatedUser)
  /// The request must be rejected with this response. For `missing` a server may continue without a user.
  case refused(AuthenticationRefusal)
}

/// Finds the user of an HTTP request: from its bearer token (RFC 6750), from a token with a DPoP proof (RFC 9449), or
/// from a session cookie.
///
/// It takes header values and is independent of any web framework: a framework's adapter passes the method, the path
/// and the header fields, and sends the resulting response. GatehouseHummingbird is one.
///
/// A bound token (`cnf`) is never accepted without a proof of its key. A session cookie is never accepted for a
/// modifying request from a page of another origin, nor from a page without TLS of another machine. Usable from any thread.
public struct RequestAuthenticator: Sendable {
  /// The settings for verifying proofs of possession.
  public struct Proofs: Sendable {
    /// Verifies the proofs.
    public var verifier: DPoPVerifier
    /// The server's URL for clients, without a `/` at its end: `https://api.example.com`. It must be configured, so
    /// that a proof for another server does not match because the request's `Host` says so.
    public var publicURL: String
    /// Whether every token must come with a proof.
    public var areRequired = false

    /// - Parameters:
    ///   - verifier: verifies the proofs.
    ///   - publicURL: the server's URL for clients, without a `/` at its end.
    public init(_ verifier: DPoPVerifier, publicURL: String) {
      self.verifier = verifier
      self.publicURL = publicURL
    }

    /// Throws `invalidArgument` if the URL with a path behind it is not the URI of that path.
    fileprivate func requirePublicURL() throws(AuthError) {
      guard HTTPTarget.hasOrigin(publicURL), !publicURL.utf8.contains(where: { "?#".utf8.contains($0) }) else {
        throw AuthError(
          .invalidArgument, "`publicURL` must have a scheme and a host and no query, such as https://api.example.com")
      }
    }
  }

  /// The settings for verifying session cookies.
  public struct Cookies: Sendable {
    /// The cookie's name.
    public var name: String
    /// Verifies the cookies. Not the verifier of the tokens, because a cookie has another issuer
    /// (`VerificationPolicy.firebaseSessionCookie`).
    public var verifier: any TokenVerifying

    /// - Parameters:
    ///   - name: the cookie's name. With the prefix `__Host-`, browsers accept it only from this host.
    ///   - verifier: verifies the cookies.
    public init(_ name: String, _ verifier: any TokenVerifying) {
      self.name = name
      self.verifier = verifier
    }
  }

  /// Verifies the tokens.
  public let tokens: any TokenVerifying
  /// The settings for proofs; `nil` to accept only bearer tokens.
  public var proofs: Proofs?
  /// The settings for session cookies; `nil` to accept none.
  public var cookies: Cookies?
  /// The part of the server for which the token is needed, for people to read (RFC 9110 §11.5).
  public var realm: String?
  private let completions: Completions

  /// Accepts bearer tokens; set `proofs` and `cookies` to accept more.
  ///
  /// - Parameters:
  ///   - tokens: verifies the tokens; usually a `RemoteTokenVerifier`.
  ///   - callbackQueue: the queue on which completions without an isolation of their own are called.
  public init(_ tokens: any TokenVerifying, callbackQueue: DispatchQueue = .main) {
    self.tokens = tokens
    completions = Completions(on: callbackQueue)
  }

  /// Finds the user of a request. Uses no queue itself; the verifiers may.
  ///
  /// - Parameters:
  ///   - method: the request's method, as it was sent, such as `POST`.
  ///   - path: the request's path, as it was sent; its query does not count. With a proof, a path that does not begin
  ///     with `/` is rejected before the proof is read.
  ///   - headers: the request's header fields.
  /// - Returns: the user, or the response that rejects the request.
  /// - Throws: errors that are not the client's fault: `keysUnavailable`, `replayStoreFull`, `cancelled`, and
  ///   `invalidArgument` for a `publicURL` without scheme and host, or with a query. Respond with 503, or with 429 for
  ///   `replayShareFull`.
  @concurrent
  public func authenticate(
    _ method: String, _ path: String, headers: TransportHeaders
  ) async throws -> Authentication {
    let fields = headers.values(of: "Authorization")
    if fields.isEmpty, let cookies { return try await authenticate(by: cookies, method, headers) }
    guard let field = fields.first else { return try refused(.missing) }
    guard fields.count == 1, let credential = Authorization(field) else {
      return try refused(.malformed, shown: .bearer)
    }
    switch (credential.scheme, proofs) {
    case ("bearer", _): return try await authenticate(byBearer: credential.token)
    case ("dpop", .some(let proofs)):
      return try await authenticate(byBound: credential.token, proofs, method, path, headers)
    default: return try refused(.missing)
    }
  }

  /// `authenticate(_:_:headers:)` with a completion. It begins on the work queue, in call order, runs in the
  /// background, and calls its completion exactly once.
  public func authenticate(
    _ method: String, _ path: String, headers: TransportHeaders,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<Authentication, AuthError>) -> Void
  ) {
    completions.deliver(to: completion) { [self] () async throws(AuthError) in
      try await typed { try await authenticate(method, path, headers: headers) }
    }
  }

  private func authenticate(byBearer token: String) async throws(AuthError) -> Authentication {
    do throws(AuthError) {
      let verified = try await typed { try await tokens.verify(token) }
      guard verified["cnf"] == nil else {
        throw AuthError(.proofRequired, "the token is bound to a key (`cnf`): send it with a proof of that key")
      }
      guard proofs?.areRequired != true else {
        throw AuthError(.proofRequired, "this server takes bound tokens only: send `Authorization: DPoP` and a proof")
      }
      return .user(try AuthenticatedUser(verified, .bearerToken))
    } catch { return try refused(.invalidToken, error, shown: .bearer) }
  }

  private func authenticate(
    byBound token: String, _ proofs: Proofs, _ method: String, _ path: String, _ headers: TransportHeaders
  ) async throws(AuthError) -> Authentication {
    try proofs.requirePublicURL()
    // The client chooses the path. Without a slash, it would continue the server's name.
    guard path.utf8.first == UInt8(ascii: "/") else {
      return try refused(.malformed, AuthError(.proofMismatch, "the request's path does not begin with `/`"))
    }
    let user: AuthenticatedUser, request: DPoPRequest
    do throws(AuthError) {
      let verified = try await typed { try await tokens.verify(token) }
      request = try typed {
        try DPoPRequest(
          method: method, uri: proofs.publicURL + path, accessToken: token, verified: verified)
      }
      var answer = TransportHeaders()
      answer[DPoPNonces.headerName] = try typed { try proofs.verifier.nonce() }
      user = try AuthenticatedUser(verified, .boundToken, responseHeaders: answer)
    } catch { return try refused(.invalidToken, error, shown: .dpop) }
    do throws(AuthError) {
      let sent = headers.values(of: DPoPProofSigner.headerName)
      guard let proof = sent.first, sent.count == 1 else {
        throw AuthError(.proofRequired, "the request needs one header field `DPoP`, and has \(sent.count)")
      }
      _ = try await typed { try await proofs.verifier.verify(proof, for: request) }
      return .user(user)
    } catch {
      return try refused(error.code == .proofNonceRequired ? .nonceRequired : .invalidProof, error, shown: .dpop)
    }
  }

  private func authenticate(
    by cookies: Cookies, _ method: String, _ headers: TransportHeaders
  ) async throws(AuthError) -> Authentication {
    let found = Set(RequestCookies.values(of: cookies.name, in: headers).map { Array($0.utf8) })
    guard let cookie = found.first else { return try refused(.missing) }
    guard found.count == 1 else { return try refused(.malformed) }
    guard RequestOrigin.mayChange(method, headers) else { return try refused(.crossOrigin) }
    do throws(AuthError) {
      let verified = try await typed { try await cookies.verifier.verify(String(decoding: cookie, as: UTF8.self)) }
      guard verified["cnf"] == nil else { throw AuthError(.proofRequired, "the cookie is bound to a key (`cnf`)") }
      return .user(try AuthenticatedUser(verified, .sessionCookie))
    } catch { return try refused(.invalidToken, error) }
  }

  /// The response that rejects a request. Rethrows an error that is not the client's fault.
  private func refused(
    _ reason: AuthenticationRefusal.Reason, _ cause: AuthError? = nil, shown: AuthenticationRefusal.Scheme? = nil
  ) throws(AuthError) -> Authentication {
    if let cause, !cause.code.isSendersFault { throw cause }
    return .refused(
      try AuthenticationRefusal(reason, cause: cause, shown: shown, proofs: proofs?.verifier, realm: realm))
  }
}
