public import GatehouseBase

/// One call of the Identity Toolkit protocol: its request, which names its response and its endpoint.
///
/// Each call is declared once. The embedded provider answers it, an HTTP client sends it, a server decodes it. Members
/// have the names that they have on the wire, and so do durations: whole seconds, as decimal strings.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts
public protocol Call: Codable, Sendable {
  /// The answer.
  associatedtype Response: Codable & Sendable

  /// `host/path` as Google names it: `identitytoolkit.googleapis.com/v1/accounts:signUp`.
  static var endpoint: String { get }

  /// How the call travels over HTTP. `.post` unless a call says otherwise.
  static var method: CallMethod { get }

  /// Whether it only asks, so that a carrier that has lost an answer may send it again. `false` unless a call says
  /// otherwise.
  static var isReadOnly: Bool { get }
}

extension Call {
  /// `.post`.
  public static var method: CallMethod { .post }
  /// `false`.
  public static var isReadOnly: Bool { false }
}

/// How a call travels over HTTP.
public struct CallMethod: Sendable, Hashable {
  /// HTTP's word.
  public let name: String

  private init(_ name: String) { self.name = name }

  /// Its members are a query.
  public static let get = Self("GET")
  /// Its members are the body, as JSON; for the token endpoint as a form.
  public static let post = Self("POST")
  /// Its document is the body.
  package static let patch = Self("PATCH")
  /// It has no body.
  package static let delete = Self("DELETE")
}

/// A call whose answer, or the message that it sends, depends on the user's language.
///
/// The protocol has no member for it: over HTTP the language travels in the header `X-Firebase-Locale`.
public protocol LocalizedCall: Call {
  /// The language, as a BCP 47 tag (`de`, `pt-BR`); `nil` for the project's own.
  var locale: String? { get set }
}

/// A call about the accounts of one tenant. Those of a call with an ID token are the token's tenant's.
public protocol TenantCall: Call {
  /// The tenant's identifier; `nil` for the project's own accounts, and where an ID token says it.
  var tenantId: String? { get set }
}

/// Answers the calls of the protocol: the embedded provider, an HTTP client, a test's script.
///
/// Called on a background thread, any number of calls at once; may answer on any thread and may call Gatehouse.
/// The caller's deadline cancels the task of a call that takes too long. An answer that comes later is still worth
/// giving: new tokens in it replace the ones that the call has revoked.
///
/// The calls, `SignUp`, `Lookup` and the others, and their answers are in this module: a backend of one's own imports
/// `IdentityToolkit`.
public protocol Backend: Sendable {
  /// Answers one call.
  ///
  /// - Throws: an `AuthError` when the call is refused: for a server's message `AuthError(server:)`, for a call that
  ///   this backend does not know `.unsupported`.
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response

  /// Whether each refresh brings a new refresh token and spends the old one: then one `Auth` at a time may use a stored
  /// session, and it needs a store with a lock (`CredentialStore.lock()`). `false` by default.
  ///
  /// Read once, on the thread that makes an `Auth`.
  var rotatesRefreshTokens: Bool { get }
}

extension Backend {
  /// `false`: a refresh token may be used many times, by several `Auth`s.
  public var rotatesRefreshTokens: Bool { false }
}

extension AuthError {
  /// The error of a backend that does not know a call: `.operationNotAllowed`.
  public static func unsupported<C: Call>(_ call: C.Type) -> AuthError {
    AuthError(.operationNotAllowed, "this backend does not answer \(C.endpoint)", serverCode: "OPERATION_NOT_ALLOWED")
  }
}
