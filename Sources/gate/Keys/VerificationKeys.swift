import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import GatehouseURLSession

/// Where `gate verify` has its keys from: a place that is given, the issuer that is given, or the home's own provider.
struct VerificationKeys: Sendable {
  let place: String?
  let issuer: String?
  let home: HomeOptions

  /// Whether the keys are those of the home's own provider: for its issuer no server is asked.
  var areHomeKeys: Bool { place == nil && (issuer ?? Home.issuer).isExactly(Home.issuer) }

  /// Whether the issuer that is given is asked where its keys are.
  var asksIssuer: Bool { place == nil && !areHomeKeys }

  func read() async throws(AuthError) -> JWKSet {
    if let place { return try await PublishedKeys(place: place).read() }
    guard !areHomeKeys, let issuer else { return try await homeKeys() }
    let metadata: IssuerMetadata
    do throws(AuthError) {
      metadata = try await IssuerMetadata.fetch(of: issuer, by: URLSessionTransport())
    } catch {
      guard error.code != .issuerMismatch else {
        throw AuthError(error.code, "\(error.message); give --issuer as the document spells it")
      }
      throw AuthError(
        .keysUnavailable, "the keys of \(issuer) cannot be looked up: \(error.message); or give --jwks",
        retryAfter: error.retryAfter)
    }
    return try await PublishedKeys(place: metadata.keysURL).fetch()
  }

  private func homeKeys() async throws(AuthError) -> JWKSet {
    let home = try home.home()
    try home.requireProvider()
    return try await home.withProvider { (provider) throws(AuthError) in try await provider.keySet() }
  }
}
