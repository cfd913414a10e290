import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP
import GatehouseJOSE
import GatehouseQueues
import IdentityToolkit

/// Verifies the credentials of identity providers. Calls servers off the work queue, with timeouts.
final class IdentityProviders: Sendable {
  private let environment: ProviderEnvironment
  /// The transport is the app's code and may block, so it has its own threads.
  private let threads = PoolShare(width: 3)
  /// The verifiers, each made by the first sign-in with its provider. Providers can be configured later, so the number
  /// of verifiers is limited.
  private let verifiers = Lock<[ExactProvider: RemoteTokenVerifier]>([:])
  /// The discoveries that failed lately.
  private let failures = Lock<[ExactProvider: FailedDiscovery]>([:])

  init(_ environment: ProviderEnvironment) { self.environment = environment }

  /// Returns the identity that a credential proves.
  ///
  /// - Parameter provider: the credential's provider; `nil` if it is not configured.
  /// - Throws: `INVALID_IDP_RESPONSE` for a credential that proves no identity, `INVALID_PROVIDER_ID` for a provider
  ///   that is not configured, `MISSING_OR_INVALID_NONCE`; `.networkError`, `.keysUnavailable` if the provider's
  ///   servers do not answer.
  func identity(
    of credential: IdentityCredential?, _ provider: IdentityProvider?
  ) async throws(AuthError) -> VerifiedIdentity {
    guard let credential else {
      throw AuthError(server: .invalidIDPResponse, "postBody names no providerId")
    }
    return try await Background.run(on: threads) { [self] () throws(AuthError) in
      if environment.options.acceptsUnverifiedIdentities { return try VerifiedIdentity(unverified: credential) }
      return try await verified(credential, provider)
    }
  }

  private func verified(
    _ credential: IdentityCredential, _ provider: IdentityProvider?
  ) async throws(AuthError) -> VerifiedIdentity {
    guard let provider else {
      guard credential.samlResponse == nil else {
        throw AuthError(server: .operationNotAllowed, "this provider checks no XML signatures")
      }
      throw AuthError(
        server: .invalidProviderID,
        "\(credential.providerID.printable()) is not in identityProviders.enabled of "
          + "provider.json, or LocalOptions.identityProviders")
    }
    let transport = try self.transport
    switch provider.kind {
    case .openIDConnect(let issuers, let clientIDs):
      guard let idToken = credential.idToken else {
        throw AuthError(server: .invalidIDPResponse, "id_token is missing")
      }
      let verifier = try await verifier(of: provider, issuers, clientIDs, by: transport)
      let token: VerifiedToken
      do throws(AuthError) { token = try await typed { try await verifier.verify(idToken.revealed) } } catch {
        throw .refused(error)
      }
      try token.requireAuthorizedParty(clientIDs)
      try token.requireNonce(credential.rawNonce)
      var identity = try VerifiedIdentity(
        provider.id, token.claims, UserInfoEndpoint.Members(), trustingEmail: provider.isTrustedWithEmail)
      identity.federatedID = "\(issuers[0])/\(identity.subject)"
      identity.displayName = identity.displayName ?? credential.storableName
      return identity
    case .userInfo(let endpoint):
      guard let accessToken = credential.accessToken else {
        throw AuthError(server: .invalidIDPResponse, "access_token is missing")
      }
      let question = UserInfoQuestion(
        endpoint: endpoint, accessToken: accessToken, tokenSecret: credential.secret, timeout: provider.timeout,
        clocks: environment.options.clocks)
      return try VerifiedIdentity(
        provider.id, try await question.answer(by: transport), endpoint.members,
        trustingEmail: provider.isTrustedWithEmail)
    }
  }

  private var transport: any HTTPTransport {
    get throws(AuthError) {
      guard environment.options.transport != nil else {
        throw AuthError(
          server: .operationNotAllowed,
          "to ask identity providers, name them in identityProviders.enabled of "
            + "provider.json, or set LocalOptions.transport")
      }
      return HeldTransport(environment: environment)
    }
  }

  /// Returns the verifier of a provider's ID tokens, whose keys are fetched once for all sign-ins.
  private func verifier(
    of provider: IdentityProvider, _ issuers: [String], _ clientIDs: [String], by transport: any HTTPTransport
  ) async throws(AuthError) -> RemoteTokenVerifier {
    if let verifier = verifiers.withLock({ $0[ExactProvider(provider)] }) { return verifier }
    let clocks = HeldClocks(environment: environment)
    let metadata = try await metadata(of: provider, issuers[0], by: transport, clocks)
    let keys = try typed { try RemoteKeySet(url: metadata.keysURL, transport: transport, clocks: clocks) }
    var policy = VerificationPolicy(
      algorithms: Self.algorithms, issuers: issuers.map { .exactly($0) }, audiences: clientIDs)
    policy.requiredClaims = ["exp", "iat", "sub"]
    policy.clocks = clocks
    let made = RemoteTokenVerifier(keys: keys, policy: policy)
    // If two callers make one at once, the first one is kept.
    return verifiers.withLock { verifiers in
      if let first = verifiers[ExactProvider(provider)] { return first }
      if verifiers.count >= Self.mostVerifiers { verifiers.removeAll() }
      verifiers[ExactProvider(provider)] = made
      return made
    }
  }

  /// Returns the metadata of an issuer. Throws the same error again for `FailedDiscovery.memory`, without a request.
  private func metadata(
    of provider: IdentityProvider, _ issuer: String, by transport: any HTTPTransport, _ clocks: any Clocks
  ) async throws(AuthError) -> IssuerMetadata {
    let known = failures.withLock { $0[ExactProvider(provider)] }
    if let known, known.isRecent(at: clocks.now().boot) { throw known.error }
    do throws(AuthError) {
      let metadata = try await IssuerMetadata.fetch(
        of: issuer, by: transport, clocks: clocks, timeout: provider.timeout)
      failures.withLock { $0[ExactProvider(provider)] = nil }
      return metadata
    } catch {
      guard error.code != .cancelled else { throw error }
      let failure = FailedDiscovery(error: error, at: clocks.now().boot)
      failures.withLock { failures in
        if failures.count >= Self.mostVerifiers { failures.removeAll() }
        failures[ExactProvider(provider)] = failure
      }
      throw error
    }
  }

  private static let mostVerifiers = 1000

  /// The algorithms of identity providers. None uses a shared secret.
  private static let algorithms: Set<JWSAlgorithm> = [
    .RS256, .RS384, .RS512, .PS256, .PS384, .PS512, .ES256, .ES384, .ES512, .EdDSA,
  ]
}

/// A provider that equals only one with the same bytes: a verifier accepts the issuer and the audience of its own
/// provider.
private struct ExactProvider: Hashable {
  private let provider: IdentityProvider
  private let names: [ExactText]

  init(_ provider: IdentityProvider) {
    self.provider = provider
    names = ([provider.id] + provider.urls + provider.clientIDs).map(ExactText.init)
  }
}

/// A discovery that failed. While it is remembered, sign-ins with its provider do not hold threads that wait for a server
/// that does not answer.
private struct FailedDiscovery: Sendable {
  let error: AuthError
  /// The time of the failure, by the boot clock.
  let at: Double

  /// The time for which a failure is remembered, in seconds.
  private static let memory = 30.0

  func isRecent(at now: Double) -> Bool { abs(now - at) < Self.memory }
}

extension VerifiedToken {
  /// Requires that a token for several audiences was issued to this app (OpenID Connect Core §3.1.3.7). If `aud` is a
  /// text, `azp` may be another app of the same project, as at Google.
  fileprivate func requireAuthorizedParty(_ clientIDs: [String]) throws(AuthError) {
    guard let audiences = self["aud"]?.array, audiences.count > 1 || self["azp"] != nil else { return }
    guard let party = self["azp"]?.string, clientIDs.contains(where: { $0.isExactly(party) }) else {
      throw AuthError(server: .invalidIDPResponse, "`aud` is a list, and `azp` is not this app")
    }
  }

  /// Requires that the token's nonce is the hash of the given raw nonce, or that neither exists.
  fileprivate func requireNonce(_ raw: Secret?) throws(AuthError) {
    let nonce = self["nonce"]?.string
    guard nonce != nil || raw != nil else { return }
    guard let nonce, let raw, Secret(try raw.nonce) == Secret(nonce) else {
      throw AuthError(server: .missingOrInvalidNonce)
    }
  }
}

extension Secret {
  /// The nonce sent to an identity provider: the SHA-256 in hex.
  fileprivate var nonce: String {
    get throws(AuthError) {
      let digits = Array("0123456789abcdef".utf8)
      let hash = try HashAlgorithm.sha256.digest(of: Array(revealed.utf8))
      return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }
}

extension AuthError {
  /// Returns the refusal of a token. Errors that are not about the token are passed on.
  fileprivate static func refused(_ error: AuthError) -> AuthError {
    switch error.code {
    case .keysUnavailable, .networkError, .deadlineExceeded, .cancelled, .insecureConnection: return error
    default: return AuthError(server: .invalidIDPResponse, "\(error.message)")
    }
  }
}

extension IdentityCredential {
  /// The name that the client itself says; `nil` if an account cannot have it.
  fileprivate var storableName: String? { fullName.flatMap { try? ProfileField.displayName.checked($0) } }
}

extension VerifiedIdentity {
  /// Accepts the claims of a credential without verification: an ID token with any signature or none, the claims
  /// themselves as JSON, or JSON instead of a SAML response. Only used with `LocalOptions.acceptsUnverifiedIdentities`.
  fileprivate init(unverified credential: IdentityCredential) throws(AuthError) {
    let given = credential.idToken ?? credential.accessToken ?? credential.samlResponse
    guard let text = given?.revealed else { throw AuthError(server: .invalidIDPResponse, "there is no token") }
    // Any name is an identity provider here, and each of them is in the account and in its tokens.
    guard (try? ProfileField.provider.checked(credential.providerID)) != nil else {
      throw AuthError(server: .invalidProviderID)
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isToken = parts.count == 3 && text.utf8.first != UInt8(ascii: "{")
    let claims =
      isToken ? try? JSONObject(reading: Base64URL.bytes(of: String(parts[1]))) : try? JSONObject(reading: text.utf8)
    guard var claims else { throw AuthError(server: .invalidIDPResponse, "the token is neither a JWT nor JSON") }
    if credential.idToken == nil, credential.accessToken == nil, let assertion = claims["assertion"] {
      claims = try Self.claims(of: assertion)
    }
    try self.init(credential.providerID, claims, UserInfoEndpoint.Members(), trustingEmail: true)
    displayName = displayName ?? credential.storableName
    username = username ?? claims["screen_name"]?.string.flatMap { try? ProfileField.displayName.checked($0) }
  }

  /// Returns the claims of a SAML assertion in the form that Google's emulator accepts.
  private static func claims(of assertion: JSONValue) throws(AuthError) -> JSONObject {
    guard let nameID = assertion["subject"]?["nameId"]?.string else {
      throw AuthError(server: .invalidIDPResponse, "the SAML response has no assertion.subject.nameId")
    }
    var claims = assertion["attributeStatements"]?.object ?? [:]
    claims["sub"] = .string(nameID)
    if claims["email"]?.string == nil, (try? EmailAddress(nameID)) != nil { claims["email"] = .string(nameID) }
    claims["email_verified"] = true
    return claims
  }
}

/// The app's transport, held through the environment that holds all of the app's objects, so that a holder of this
/// value may be released anywhere.
private struct HeldTransport: HTTPTransport {
  let environment: ProviderEnvironment

  func send(_ request: TransportRequest) async throws(AuthError) -> TransportResponse {
    guard let transport = environment.options.transport else { throw AuthError(.closed, "the provider was let go of") }
    return try await transport.send(request)
  }
}

/// The app's clocks, held in the same way.
private struct HeldClocks: Clocks {
  let environment: ProviderEnvironment

  func now() -> ClockReading { environment.options.clocks.now() }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    environment.options.clocks.wake(at: alarm, body)
  }
}
