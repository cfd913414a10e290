public import GatehouseBase

/// Creates a session cookie from an ID token.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects/createSessionCookie
public struct CreateSessionCookie: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}:createSessionCookie"

  /// An ID token of a recent sign-in.
  public var idToken: Secret
  /// The lifetime of the cookie, in seconds: 300 to 1,209,600.
  public var validDuration: DecimalString?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// Makes a request for a cookie.
  public init(idToken: Secret, validDuration: DecimalString? = nil) {
    self.idToken = idToken
    self.validDuration = validDuration
  }

  /// The response: the cookie.
  public struct Response: Codable, Sendable, Hashable {
    /// The cookie.
    public var sessionCookie: Secret

    /// Makes a response with the cookie.
    public init(sessionCookie: Secret) { self.sessionCookie = sessionCookie }
  }
}
