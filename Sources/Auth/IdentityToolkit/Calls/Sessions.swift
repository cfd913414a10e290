public import GatehouseBase

/// Lists the sessions of an account. Specific to Gatehouse: the protocol has no such call.
public struct ListSessions: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/gatehouse/v1/sessions:list"
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request for the sessions.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The response: the active sessions.
  public struct Response: Codable, Sendable, Hashable {
    /// The sessions, in the order of their sign-ins.
    public var sessions: [Session]

    /// Makes a response with sessions.
    public init(sessions: [Session]) { self.sessions = sessions }
  }

  /// An active session.
  public struct Session: Codable, Sendable, Hashable {
    /// The session's identifier: the `sid` claim of its ID tokens.
    public var sessionId: String
    /// The sign-in method: `password`, `google.com`.
    public var signInProvider: String
    /// The time of the sign-in, in seconds since 1970.
    public var authTime: DecimalString
    /// The second factor of the sign-in.
    public var signInSecondFactor: String?
    /// Whether the call was made with a token of this session.
    public var isCurrent: Bool?

    /// Makes a session.
    public init(sessionId: String, signInProvider: String, authTime: DecimalString) {
      self.sessionId = sessionId
      self.signInProvider = signInProvider
      self.authTime = authTime
    }
  }
}

/// Ends sessions of an account. Specific to Gatehouse: the protocol has no such call.
public struct RevokeSessions: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/gatehouse/v1/sessions:revoke"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The session to end; `nil` for all sessions, including this one.
  public var sessionId: String?
  /// The tenant; `nil` for the token's own. A call that names another one than the token is refused.
  public var tenantId: String?

  /// Makes a request to end one session, or all of them.
  public init(idToken: Secret, sessionId: String? = nil) {
    self.idToken = idToken
    self.sessionId = sessionId
  }

  /// The empty response.
  public struct Response: Codable, Sendable, Hashable {
    /// Makes an empty response.
    public init() {}
  }
}
