import GatehouseBase
import GatehouseHTTP

/// An access token and its expiry.
struct AccessToken: Sendable {
  let secret: Secret
  /// When another token must be fetched, on the boot clock in seconds.
  let freshUntil: Double
  /// The life from its receipt on, in seconds.
  let lifetime: Double

  /// How long before its expiry a token is no longer used, in seconds: a call must reach the server with it.
  static let margin = 300.0

  init(_ secret: Secret, lifetime: Double, fetchedAt now: ClockReading) {
    self.secret = secret
    self.lifetime = lifetime
    freshUntil = now.boot + max(lifetime - Self.margin, lifetime / 2)
  }

  /// Reads the response of a token endpoint (RFC 6749 §5).
  init(_ response: TransportResponse, at now: ClockReading) throws(AuthError) {
    let json = try? JSONObject(reading: response.body)
    guard response.status == 200 else { throw Self.refusal(response, json, at: now) }
    guard let json, let token = json["access_token"]?.string, !token.isEmpty,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw AuthError(.responseInvalid, "the token endpoint's answer has no access token; is its URL right?")
    }
    let lifetime = json["expires_in"].flatMap { $0.double ?? $0.string.flatMap(Double.init) } ?? 3600
    self.init(Secret(token), lifetime: min(max(lifetime.isFinite ? lifetime : 0, 0), 86_400), fetchedAt: now)
  }

  private static func refusal(
    _ response: TransportResponse, _ json: JSONObject?, at now: ClockReading
  ) -> AuthError {
    if let unavailability = Unavailability(response, at: now.wall) {
      return AuthError(
        response.status == 429 ? .tooManyRequests : .networkError, "the token endpoint \(unavailability.text)",
        retryAfter: unavailability.retryAfter)
    }
    guard let word = json?["error"]?.string else {
      return AuthError(
        .responseInvalid, "the token endpoint answered with status \(response.status); is its URL right?")
    }
    let text = json?["error_description"]?.string.map { ": \($0.printable(upTo: 256))" } ?? ""
    return AuthError(
      .invalidCredential, "the token endpoint refused the administrator: \(word.printable(upTo: 64))\(text)")
  }
}
