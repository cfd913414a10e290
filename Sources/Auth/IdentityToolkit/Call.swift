public import GatehouseBase

/// One call of the Identity Toolkit protocol: its request, which names its response and its endpoint.
///
/// Declared once, here; the embedded provider answers it, the HTTP client sends it, the server decodes it.
public protocol Call: Codable, Sendable {
  associatedtype Response: Codable & Sendable

  /// `host/path` as Google names it: `identitytoolkit.googleapis.com/v1/accounts:signUp`.
  static var endpoint: String { get }
}

/// Answers the calls of the protocol: the embedded provider, an HTTP client, a test's script.
///
/// Called on a background thread, any number of calls at once; may answer on any thread and may call Gatehouse.
/// The caller's deadline cancels the task of a call that takes too long; an answer that comes later is dropped.
public protocol Backend: Sendable {
  /// Answers one call. A refusal is an `AuthError`; one that comes from a server is made by `AuthError(server:)`.
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response

  /// Whether each refresh brings a new refresh token and spends the old one: then one `Auth` at a time may use a stored
  /// session, and it wants a store with a lock (`CredentialStore.lock()`). `false` by default.
  ///
  /// Read once, on the thread that makes an `Auth`.
  var rotatesRefreshTokens: Bool { get }
}

extension Backend {
  public var rotatesRefreshTokens: Bool { false }
}

extension AuthError {
  /// A backend that does not know a call.
  public static func unsupported<C: Call>(_ call: C.Type) -> AuthError {
    AuthError(.operationNotAllowed, "this backend does not answer \(C.endpoint)", serverCode: "OPERATION_NOT_ALLOWED")
  }
}
