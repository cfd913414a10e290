import GatehouseBase
import GatehouseHTTP
import GatehouseQueues
import GatehouseREST
import IdentityToolkit

/// The sender of an administrator's calls: reads the credential once, and provides an access token for each call.
final class AdminSender: AdministratorAuthorization {
  private let credential: AdminCredential
  private let options: AdminOptions
  private let transport: any HTTPTransport
  private let metadata: any HTTPTransport
  /// The tokens of the credential itself.
  private let source: AccessTokens
  /// The tokens of the account that the credential acts for.
  private let impersonated: AccessTokens
  private let read: IdentityShelf
  private let project = Lock<String?>(nil)
  private let machine = Lock<String?>(nil)

  /// - Parameter metadata: reaches the metadata server of a Google Cloud machine, over plain HTTP.
  init(
    _ credential: AdminCredential, _ options: AdminOptions, transport: any HTTPTransport,
    metadata: any HTTPTransport
  ) {
    self.credential = credential
    self.options = options
    self.transport = transport
    self.metadata = metadata
    let read = IdentityShelf(credential)
    self.read = read
    let source = AccessTokens(clocks: options.clocks) { [clocks = options.clocks] () async throws(AuthError) in
      let now = clocks.now()
      let identity = try read.identity()
      guard let request = try identity.tokenRequest(at: now.wall) else {
        return AccessToken(Secret("owner"), lifetime: 3600, fetchedAt: now)
      }
      guard case .metadata(let server) = identity else {
        return try AccessToken(try await transport.send(request), at: clocks.now())
      }
      let response = try await metadata.send(request)
      try server.check(response)
      return try AccessToken(response, at: clocks.now())
    }
    self.source = source
    impersonated = AccessTokens(clocks: options.clocks) { [clocks = options.clocks] () async throws(AuthError) in
      guard case .impersonated(let account) = try read.identity() else {
        throw AuthError(.internalError, "the credential acts for no other account")
      }
      let response = try await transport.send(replacing: source) { account.tokenRequest(with: $0) }
      return try account.accessToken(of: response, at: clocks.now())
    }
  }

  /// Whether the credential is that of an emulator's owner.
  var isOwner: Bool {
    guard case .success(.owner) = Result(catching: { try read.identity() }) else { return false }
    return true
  }

  /// Returns the project: that of the options, else of the credential, else of the environment or the machine.
  func projectID() async throws(AuthError) -> String {
    if let given = options.projectID ?? project.withLock({ $0 }) { return given }
    let found = try await findProject()
    project.withLock { $0 = found }
    return found
  }

  private func findProject() async throws(AuthError) -> String {
    let places: DefaultPlaces =
      if case .applicationDefault(let places) = credential.source { places } else { .ofThisProcess }
    switch try read.identity() {
    case .serviceAccount(let account): return account.projectID
    case .user(let user): if let project = places.projectID ?? user.projectID { return project }
    case .impersonated(let account): if let project = places.projectID ?? account.projectID { return project }
    case .metadata(let server):
      if let project = places.projectID { return project }
      return try server.text(of: try await metadata.send(server.request("project/project-id")))
    case .owner: if let project = places.projectID { return project }
    }
    throw AuthError(.invalidArgument, "the credential names no project; set AdminOptions.projectID")
  }

  func authorization() async throws(AuthError) -> (projectID: String, token: Secret) {
    (try await projectID(), try await tokens().token())
  }

  func refused(_ token: Secret) async { await (try? tokens())?.forget(token) }

  /// The tokens that the administrator's calls are sent with.
  private func tokens() throws(AuthError) -> AccessTokens {
    if case .impersonated = try read.identity() { impersonated } else { source }
  }

  // MARK: Custom tokens

  /// Signs a custom token with the service account's key, or through Google's IAM for a credential without a key.
  func customToken(
    forUID uid: String, tenantID: String?, claims: JSONObject
  ) async throws(AuthError) -> String {
    guard (1...128).contains(uid.utf8.count) else {
      throw AuthError(.invalidArgument, "a user's identifier has 1 to 128 bytes")
    }
    try CustomClaims.check(claims)
    let identity = try read.identity()
    let email = try await signer(for: identity)
    var members: JSONObject = ["sub": .string(email), "uid": .string(uid)]
    members["tenant_id"] = tenantID.map(JSONValue.string)
    if !claims.isEmpty { members["claims"] = .object(claims) }
    let token = JSONObject(
      from: email, for: CustomClaims.customTokenAudience, adding: members, at: options.clocks.now().wall)
    switch identity {
    case .serviceAccount(let account): return try account.sign(token)
    case .owner: return token.unsigned
    case .user, .metadata: return try await sign(SignatureRequest(token, by: email))
    // The credential itself may sign for the account; the account need not be allowed to sign for itself.
    case .impersonated(let account):
      return try await sign(SignatureRequest(token, by: email, delegates: account.delegates))
    }
  }

  /// Returns the address of the account that signs.
  private func signer(for identity: Identity) async throws(AuthError) -> String {
    switch identity {
    case .serviceAccount(let account): return account.email
    // The emulator's own name for it.
    case .owner: return "firebase-auth-emulator@example.com"
    case .user:
      guard let email = options.serviceAccountID else {
        throw AuthError(
          .operationNotAllowed,
          "this credential has no key to sign custom tokens with; set AdminOptions.serviceAccountID")
      }
      return email
    case .impersonated(let account): return account.email
    case .metadata(let server):
      if let known = options.serviceAccountID ?? machine.withLock({ $0 }) { return known }
      let email = try server.text(
        of: try await metadata.send(server.request("instance/service-accounts/default/email")))
      machine.withLock { $0 = email }
      return email
    }
  }

  private func sign(_ request: SignatureRequest) async throws(AuthError) -> String {
    let response = try await transport.send(replacing: source) { request.http(with: $0) }
    return try request.signedToken(of: response, at: options.clocks.now().wall)
  }
}

extension HTTPTransport {
  /// Sends a request with an access token. If the token is refused, it is replaced once.
  fileprivate func send(
    replacing tokens: AccessTokens, _ request: (Secret) -> TransportRequest
  ) async throws(AuthError) -> TransportResponse {
    let first = try await tokens.token()
    let response = try await send(request(first))
    guard response.status == 401 else { return response }
    await tokens.forget(first)
    return try await send(request(try await tokens.token()))
  }
}

/// A credential that is read once.
private final class IdentityShelf: Sendable {
  private let credential: AdminCredential
  private let known = Lock<Identity?>(nil)

  init(_ credential: AdminCredential) { self.credential = credential }

  /// Returns the identity. Blocks the first time: for background threads only. Two concurrent callers may both read the
  /// credential, with the same result.
  func identity() throws(AuthError) -> Identity {
    if let identity = known.withLock({ $0 }) { return identity }
    let identity = try credential.identity()
    known.withLock { $0 = identity }
    return identity
  }
}
