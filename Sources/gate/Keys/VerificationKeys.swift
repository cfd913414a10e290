import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal

/// The source of the keys for `gate verify`: the given place, the given issuer, or the home's own provider.
struct VerificationKeys: Sendable {
  let place: String?
  let issuer: String?
  let home: HomeOptions
  let own: OwnTokens

  /// Whether the keys are those of the home's own provider. For the provider's issuer no server is asked.
  var areHomeKeys: Bool { place == nil && (issuer ?? own.issuer).isExactly(own.issuer) }

  /// Whether the given issuer is asked where its keys are.
  var asksIssuer: Bool { place == nil && !areHomeKeys }

  /// Whether the keys are in a file.
  var areInFile: Bool { place.map { !PublishedKeys.isURL($0) } ?? false }

  func read() async throws(AuthError) -> JWKSet {
    if let server = try await server() {
      return try await typed {
        try await server.keys().requireUsable(at: server.url)
      }
    }
    if let place { return try PublishedKeys(place: place).file() }
    return try await homeKeys()
  }

  /// Returns the server that publishes the keys, which an issuer is asked for. `nil` if the keys come from elsewhere.
  func server() async throws(AuthError) -> RemoteKeySet? {
    if let place { return areInFile ? nil : try PublishedKeys(place: place).server() }
    guard !areHomeKeys, let issuer else { return nil }
    let metadata: IssuerMetadata
    do throws(AuthError) {
      metadata = try await IssuerMetadata.fetch(of: issuer, by: AsyncHTTPTransport())
    } catch {
      guard error.code != .issuerMismatch else {
        let advice =
          // Braces of escaped characters do not count.
          error.message.replacing("\\u{", with: "").contains("{")
          ? "it is for many tenants: give the issuer of one as --issuer, as the token spells it in iss"
          : "give --issuer as the document spells it"
        throw AuthError(error.code, "\(error.message); \(advice)")
      }
      throw AuthError(
        .keysUnavailable, "the keys of \(issuer) cannot be looked up: \(error.message); or give --jwks",
        retryAfter: error.retryAfter)
    }
    return try PublishedKeys(place: metadata.keysURL).server()
  }

  func homeKeys() async throws(AuthError) -> JWKSet {
    let home = try home.home()
    try home.requireProvider()
    return try await home.withProvider { (provider) throws(AuthError) in
      try await typed { try await provider.keySet() }
    }
  }
}
