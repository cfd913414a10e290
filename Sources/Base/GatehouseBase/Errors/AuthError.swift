public import Foundation

/// The error that Gatehouse's calls throw.
///
/// `code` is for programs and `message` for people; the message says what to do next and never contains a password, a
/// token or a key. Two errors are equal when all their parts are: to check only the kind, compare `code`, or write
/// `catch AuthErrorCode.userNotFound`.
///
/// It is an `NSError` with Firebase's domain and numbers, so that `catch let error as NSError` has it.
// @unchecked as its superclass is; its own state is one constant of sendable values.
public final class AuthError: NumberedError, @unchecked Sendable {
  package struct Parts: Sendable, Hashable {
    package let code: Code
    package let message: String
    package var email: String?
    package var retryAfter: Duration?
    package var serverCode: String?
    /// The text that the server added to its code.
    package var serverDetail: String?
    package var pendingSignIn: PendingSignIn?
    package var refusedCredential: RefusedCredential?
    /// Whether a refresh token may have been spent by an attempt without an answer, so that the next attempt must come
    /// soon.
    package var isUnsettled = false
    /// Whether a refresh was refused because its token was used before.
    package var isReuse = false
    /// Whether a call was refused because too many others wait, whatever its caller has done.
    package var isOverload = false
  }

  private let parts: Parts
  private let details: (any ErrorDetails)?

  private init(_ parts: Parts, _ details: (any ErrorDetails)? = nil) {
    self.parts = parts
    self.details = details
    super.init(domain: AuthErrors.domain, number: parts.code.rawValue)
  }

  /// Makes an error.
  public convenience init(
    _ code: Code, _ message: String, email: String? = nil, retryAfter: Duration? = nil, serverCode: String? = nil
  ) {
    self.init(Parts(code: code, message: message, email: email, retryAfter: retryAfter, serverCode: serverCode))
  }

  package convenience init(
    _ code: Code, _ message: String, email: String?, retryAfter: Duration?, serverCode: String, serverDetail: String?
  ) {
    var parts = Parts(code: code, message: message, email: email, retryAfter: retryAfter, serverCode: serverCode)
    parts.serverDetail = serverDetail
    self.init(parts)
  }

  /// Errors are not archived.
  public required init?(coder: NSCoder) { nil }

  /// Returns the same error with other parts.
  package func with(_ change: (inout Parts) -> Void) -> AuthError {
    var parts = parts
    change(&parts)
    return AuthError(parts, details)
  }

  /// Returns the same error with more in its `userInfo`. Two errors are equal without regard to it.
  package func with(_ details: any ErrorDetails) -> AuthError { AuthError(parts, details) }

  /// The kind of the error.
  @_nonoverride public var code: Code { parts.code }
  /// A description for people of what is wrong and what to do next.
  public var message: String { parts.message }
  /// The email address of the user that the error is about, if any.
  public var email: String? { parts.email }
  /// The time to wait before the next attempt, if the server or a back-off specifies one.
  public var retryAfter: Duration? { parts.retryAfter }
  /// The server's own code (`EMAIL_EXISTS`), if a server or provider rejected the call.
  public var serverCode: String? { parts.serverCode }
  /// The pending sign-in of a `.secondFactorRequired` error.
  public var pendingSignIn: PendingSignIn? { parts.pendingSignIn }
  /// The credential to continue with, when a sign-in or link failed because of another account.
  package var refusedCredential: RefusedCredential? { parts.refusedCredential }

  /// The text that the server added to its code, if any.
  package var serverDetail: String? { parts.serverDetail }

  /// Whether a refresh was refused because its token was used before: it was stolen, or an answer was lost.
  package var isReuse: Bool { parts.isReuse }

  /// Whether the call was refused because too many others wait.
  package var isOverload: Bool { parts.isOverload }

  /// Whether the next attempt must come soon.
  package var isUnsettled: Bool { parts.isUnsettled }

  // MARK: As an `NSError`

  /// Firebase's keys, which `AuthErrors` has, and the message as the localized description. Made when it is read.
  public override var userInfo: [String: Any] {
    var info: [String: Any] = [:]
    if let details { info = details.userInfo(of: self) }
    info[NSLocalizedDescriptionKey] = message
    // Firebase documents this key for this code: what the password lacks.
    if code == .weakPassword { info[NSLocalizedFailureReasonErrorKey] = serverDetail ?? message }
    info[AuthErrors.userInfoNameKey] = code.firebaseName
    info[AuthErrors.userInfoEmailKey] = email
    return info
  }

  /// The message.
  public override var localizedDescription: String { message }
  /// The message, and the code's name in brackets.
  public override var description: String { "\(message) [\(code)]" }

  /// Whether the other object is an `AuthError` with the same parts.
  public override func isEqual(_ object: Any?) -> Bool { (object as? AuthError)?.parts == parts }
  /// The hash of all parts.
  public override var hash: Int { parts.hashValue }
}

extension AuthError {
  /// Returns the error `.secondFactorRequired` for a sign-in whose account has a second factor, with the pending
  /// sign-in to complete.
  public static func secondFactorRequired(_ pending: PendingSignIn) -> AuthError {
    AuthError(.secondFactorRequired, "the account wants a second factor; go on with multiFactorResolver(for:)")
      .with { $0.pendingSignIn = pending }
  }
}

extension AuthError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
}

/// Whether an error is an `AuthError` of this kind: `catch AuthErrorCode.userNotFound`.
///
/// A function of the module, because no member that is an operator can be exported alone (decision 108).
public func ~= (code: AuthError.Code, error: any Error) -> Bool { (error as? AuthError)?.code == code }

// MARK: Thrown by public calls

/// Runs a public call, which throws nothing but an `AuthError`, where the compiler is to know that.
package func typed<Value: ~Copyable>(_ call: () throws -> Value) throws(AuthError) -> Value {
  do { return try call() } catch { throw AuthError(error) }
}

/// Runs a public call, which throws nothing but an `AuthError`, where the compiler is to know that.
package nonisolated(nonsending) func typed<Value: ~Copyable>(
  _ call: nonisolated(nonsending) () async throws -> Value
) async throws(AuthError) -> Value {
  do { return try await call() } catch { throw AuthError(error) }
}

extension AuthError {
  fileprivate convenience init(_ error: any Error) {
    if let error = error as? AuthError {
      self.init(error.parts, error.details)
    } else {
      self.init(.internalError, "a call failed with an error that it should not throw: \(type(of: error))")
    }
  }
}

extension Result where Failure == AuthError {
  /// Returns the value or throws the error.
  ///
  /// It is used instead of the standard library's, which throws a type: Swift 6.3.1 stops at some forms of `catch`
  /// around a call that throws a type.
  public func get() throws -> Success { try typed() }

  /// Returns the value or throws the error.
  package func typed() throws(AuthError) -> Success {
    switch self {
    case .success(let value): value
    case .failure(let error): throw error
    }
  }
}
