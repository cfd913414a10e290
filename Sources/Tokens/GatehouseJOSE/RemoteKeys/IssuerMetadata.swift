import GatehouseBase
package import GatehouseHTTP

/// An issuer's published metadata: the URL of its keys.
///
/// OpenID Connect Discovery 1.0 §4 and RFC 8414 §3 put it at a URL below, or before, the issuer's own path.
package struct IssuerMetadata: Sendable, Hashable {
  /// The issuer, byte for byte the requested one.
  package let issuer: String
  /// The URL of its keys (`jwks_uri`).
  package let keysURL: String

  /// Fetches an issuer's document: OpenID Connect's, or else that of RFC 8414.
  ///
  /// Throws `invalidArgument` if the issuer is not a URL without query and fragment, `insecureConnection` for plain
  /// HTTP to another machine, `issuerMismatch` if the document is another issuer's, and the errors of the transport.
  /// Throws `keysUnavailable` if there is no document, or if the server cannot serve it for now; then with
  /// `retryAfter`, if the server states a time.
  package static func fetch(
    of issuer: String, by transport: any HTTPTransport, clocks: any Clocks = SystemClocks(),
    timeout: Duration = .seconds(5)
  ) async throws(AuthError) -> IssuerMetadata {
    var obstacles: [String] = []
    var outage: Unavailability?
    for url in try addresses(of: issuer) {
      var request = TransportRequest(
        .get, url, headers: ["Accept": "application/json"], timeout: timeout,
        maximumResponseLength: RemoteKeyOptions.maximumResponseLength)
      request.followsRedirects = true
      try typed { try request.check() }
      let response = try await transport.send(request)
      guard response.status == 200 else {
        obstacles.append(FetchedKeys.words(for: response.status))
        outage = outage ?? Unavailability(response, at: clocks.now().wall)
        continue
      }
      // A web server may return a page for every URL.
      guard let document = try? JSONObject(reading: response.body.withoutByteOrderMark) else {
        obstacles.append("no JSON object")
        continue
      }
      return try IssuerMetadata(document, of: issuer)
    }
    if let outage {
      throw AuthError(.keysUnavailable, "\(issuer) \(outage.text)", retryAfter: outage.retryAfter)
    }
    throw AuthError(
      .keysUnavailable,
      "\(issuer) publishes nothing at its well-known addresses: openid-configuration gave \(obstacles[0]), "
        + "oauth-authorization-server \(obstacles[1])")
  }

  /// Throws `issuerMismatch` if the document is not this issuer's: another issuer's document says nothing about it.
  private init(_ document: JSONObject, of issuer: String) throws(AuthError) {
    guard let name = document["issuer"]?.string else {
      throw AuthError(.keysUnavailable, "the document of \(issuer) names no issuer")
    }
    guard name.isExactly(issuer) else {
      throw AuthError(.issuerMismatch, "the document of \(issuer) is that of another issuer: \(name.printable())")
    }
    guard let url = document["jwks_uri"]?.string else {
      throw AuthError(.keysUnavailable, "the document of \(issuer) does not say where its keys are (jwks_uri)")
    }
    do throws(AuthError) {
      try typed { try TransportRequest(.get, url).check() }
      // Only an issuer on this machine may have its keys there without TLS.
      let (keys, own) = (try HTTPOrigin(of: url), try HTTPOrigin(of: issuer))
      guard keys.isSecure || !own.isSecure else {
        throw AuthError(.insecureConnection, "it is not https")
      }
    } catch {
      throw AuthError(
        .keysUnavailable, "the document of \(issuer) names no usable address of its keys: \(error.message)")
    }
    self.issuer = issuer
    keysURL = url
  }

  /// The well-known URLs of an issuer, in the order in which they are tried.
  static func addresses(of issuer: String) throws(AuthError) -> [String] {
    // First, so that no error repeats a password.
    _ = try HTTPOrigin(of: issuer)
    guard !issuer.contains(where: "?#".contains), let slashes = issuer.firstRange(of: "://") else {
      throw AuthError(.invalidArgument, "an issuer is an https URL without query and fragment")
    }
    var base = issuer[...]
    if base.hasSuffix("/") { base = base.dropLast() }  // only one (OpenID Connect Discovery 1.0 §4.1)
    let scheme = base[..<slashes.upperBound]
    let host = base[slashes.upperBound...].prefix { $0 != "/" }
    let path = base[host.endIndex...]
    return [
      "\(base)/.well-known/openid-configuration",
      "\(scheme)\(host)/.well-known/oauth-authorization-server\(path)",
    ]
  }
}
