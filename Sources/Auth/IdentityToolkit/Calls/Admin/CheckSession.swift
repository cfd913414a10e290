/// Asks whether one sign-in of a user is over. Specific to Gatehouse: the protocol's look-ups know no sign-ins.
public struct CheckSession: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:checkSession"
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// The user's identifier.
  public var localId: String
  /// The sign-in: the claim `sid` of its ID tokens and session cookies.
  public var sessionId: String
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// Makes a request about a sign-in.
  public init(localId: String, sessionId: String) {
    self.localId = localId
    self.sessionId = sessionId
  }

  /// The response.
  public struct Response: Codable, Sendable, Hashable {
    /// Whether the sign-in is over: it was ended, or a refresh token of it was used twice.
    public var isOver: Bool

    /// Makes a response.
    public init(isOver: Bool) { self.isOver = isOver }
  }
}
