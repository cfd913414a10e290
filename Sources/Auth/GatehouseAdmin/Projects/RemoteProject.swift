import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseQueues
import GatehouseREST

/// A project behind a server. Its keys are fetched from the server, and calls carry an access token.
final class RemoteProject: AdminProject {
  private let sender: AdminSender
  private let options: AdminOptions
  private let transport: any HTTPTransport
  private let verifiers = Lock<[UserTokenKind: RemoteTokenVerifier]>([:])

  init(
    _ credential: AdminCredential, _ options: AdminOptions, transport: any HTTPTransport,
    metadata: any HTTPTransport
  ) {
    sender = AdminSender(credential, options, transport: transport, metadata: metadata)
    self.options = options
    self.transport = transport
  }

  /// Google's servers do not. There, `sid` is a custom claim that says nothing.
  var knowsSessions: Bool { options.server != .google }

  /// The backend for the calls of the project's administrator.
  var backend: RESTBackend {
    var options = RESTOptions(server: options.server, clocks: options.clocks)
    options.timeout = self.options.timeout
    return RESTBackend(administrator: sender, options: options, transport: transport)
  }

  func verify(_ token: String, as kind: UserTokenKind) async throws(AuthError) -> VerifiedToken {
    if sender.isOwner, token.utf8.last == UInt8(ascii: ".") {
      return try VerifiedToken(try typed { try UnsecuredToken(token) }, try await policy(kind))
    }
    return try await typed { try await verifier(kind).verify(token) }
  }

  private func policy(_ kind: UserTokenKind) async throws(AuthError) -> VerificationPolicy {
    kind.policy(project: try await sender.projectID(), issuer: options.issuer, options.clocks)
  }

  func customToken(
    forUID uid: String, tenantID: String?, claims: JSONObject
  ) async throws(AuthError) -> String {
    try await sender.customToken(forUID: uid, tenantID: tenantID, claims: claims)
  }

  /// Returns the verifier, which is made for the first token: before that, the project may not be known.
  private func verifier(_ kind: UserTokenKind) async throws(AuthError) -> RemoteTokenVerifier {
    if let verifier = verifiers.withLock({ $0[kind] }) { return verifier }
    let policy = try await policy(kind)
    var keyOptions = RemoteKeyOptions()
    keyOptions.format = .either
    let url = kind == .idToken ? options.server.idTokenKeys : options.server.sessionCookieKeys
    let keys = try typed {
      try RemoteKeySet(url: url, transport: transport, clocks: options.clocks, options: keyOptions)
    }
    let made = RemoteTokenVerifier(keys: keys, policy: policy)
    // If two callers make one at once, the first one's keys serve both.
    return verifiers.withLock { verifiers in
      if let first = verifiers[kind] { return first }
      verifiers[kind] = made
      return made
    }
  }
}
