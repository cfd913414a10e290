public import GatehouseBase

/// Asks for the sessions of an account. Gatehouse's own: the protocol has none.
public struct ListSessions: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/gatehouse/v1/sessions:list"
  /// It only asks.
  public static let isReadOnly = true

  /// The ID token of the account's user.
  public var idToken: Secret

  /// Asks for the sessions.
  public init(idToken: Secret) { self.idToken = idToken }

  /// The sessions that can still be used.
  public struct Response: Codable, Sendable, Hashable {
    /// In the order in which they began.
    public var sessions: [Session]

    /// Answers with sessions.
    public init(sessions: [Session]) { self.sessions = sessions }
  }

  /// A sign-in that can still be used.
  public struct Session: Codable, Sendable, Hashable {
    /// Names it: the `sid` of its ID tokens.
    public var sessionId: String
    /// How the user signed in: `password`, `google.com`.
    public var signInProvider: String
    /// When, in seconds since 1970.
    public var authTime: DecimalString
    /// The second factor of the sign-in.
    public var signInSecondFactor: String?
    /// Whether the call was made with a token of this one.
    public var isCurrent: Bool?

    /// Makes a session.
    public init(sessionId: String, signInProvider: String, authTime: DecimalString) {
      self.sessionId = sessionId
      self.signInProvider = signInProvider
      self.authTime = authTime
    }
  }
}

/// Ends sessions of an account. Gatehouse's own: the protocol has none.
public struct RevokeSessions: Call {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/gatehouse/v1/sessions:revoke"

  /// The ID token of the account's user.
  public var idToken: Secret
  /// The session to end; `nil` for all, this one included.
  public var sessionId: String?

  /// Asks to end one session, or all of them.
  public init(idToken: Secret, sessionId: String? = nil) {
    self.idToken = idToken
    self.sessionId = sessionId
  }

  /// Nothing.
  public struct Response: Codable, Sendable, Hashable {
    /// Answers with nothing.
    public init() {}
  }
}
