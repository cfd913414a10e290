public import GatehouseBase

/// A call of the Identity Toolkit protocol. The type is the request, and names its response and its endpoint.
///
/// Each call is declared once. The embedded provider answers it, an HTTP client sends it, a server decodes it. Members
/// have their names on the wire, and durations their format on the wire: whole seconds, as decimal strings.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts
public protocol Call: Codable, Sendable {
  /// The response.
  associatedtype Response: Codable & Sendable

  /// The endpoint in Google's form `host/path`: `identitytoolkit.googleapis.com/v1/accounts:signUp`.
  static var endpoint: String { get }

  /// The HTTP method. `.post` by default.
  static var method: CallMethod { get }

  /// Whether the call changes nothing, so that it may be sent again if its answer was lost. `false` by default.
  static var isReadOnly: Bool { get }
}

extension Call {
  /// `.post`.
  public static var method: CallMethod { .post }
  /// `false`.
  public static var isReadOnly: Bool { false }
}

/// The HTTP method of a call.
public struct CallMethod: Sendable, Hashable {
  /// The name of the method in HTTP.
  public let name: String

  private init(_ name: String) { self.name = name }

  /// A method whose call sends its members as a query.
  public static let get = Self("GET")
  /// A method whose call sends its members in the body, as JSON; for the token endpoint, as a form.
  public static let post = Self("POST")
  /// A method whose call sends its document in the body.
  package static let patch = Self("PATCH")
  /// A method whose call has no body.
  package static let delete = Self("DELETE")
}

/// A call whose answer or message depends on the user's language.
///
/// The protocol has no member for the language: over HTTP it is sent in the header `X-Firebase-Locale`.
public protocol LocalizedCall: Call {
  /// The language, as a BCP 47 tag (`de`, `pt-BR`); `nil` for the project's default.
  var locale: String? { get set }
}

/// A call about the accounts of one tenant. For a call with an ID token, that is the token's tenant.
public protocol TenantCall: Call {
  /// The tenant's identifier; `nil` for the project's own accounts, or if an ID token determines the tenant.
  var tenantId: String? { get set }
}

/// Answers the calls of the protocol: the embedded provider, an HTTP client, a test's script.
///
/// Called on a background thread, with any number of calls at once. It may answer on any thread and may call Gatehouse.
/// The caller's deadline cancels the task of a call that takes too long. A later answer is still useful: its new tokens
/// replace the ones that the call has revoked.
///
/// The calls, such as `SignUp` and `Lookup`, and their responses are in this module, so a custom backend imports
/// `IdentityToolkit`.
public protocol Backend: Sendable {
  /// Answers one call.
  ///
  /// - Throws: An `AuthError` if the call is refused: `AuthError(server:)` for a server's message, `.unsupported` for a
  ///   call that this backend does not support.
  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response

  /// Whether each refresh issues a new refresh token and invalidates the old one. If `true`, a refresh is never made
  /// without the lock of the store, which must have one (`CredentialStore.lock()`). If `false`, the default, the lock
  /// is taken if it is available.
  ///
  /// Read once, on the thread that makes an `Auth`.
  var rotatesRefreshTokens: Bool { get }

  /// Whether the ID tokens come from an emulator, such as Google's, which does not sign them. Then their claims are
  /// read all the same (`User.getIDTokenResult`). `false` by default.
  var isEmulator: Bool { get }
}

extension Backend {
  /// `false`: a refresh token may be used many times, by several `Auth`s.
  public var rotatesRefreshTokens: Bool { false }
  /// `false`: tokens are signed.
  public var isEmulator: Bool { false }
}

extension AuthError {
  /// The error of a backend that does not support a call: `.operationNotAllowed`.
  public static func unsupported<C: Call>(_ call: C.Type) -> AuthError {
    AuthError(.operationNotAllowed, "this backend does not answer \(C.endpoint)", server: .operationNotAllowed)
  }
}
