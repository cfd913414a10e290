// Firebase's names for symbols that have other names here. Each is one line.

/// Firebase's name for `AuthError.Code`: `error.code == AuthErrorCode.userNotFound`.
public typealias AuthErrorCode = AuthError.Code

extension User {
  /// Firebase's name for `getIDToken(forcingRefresh:)`.
  ///
  /// - Throws: the errors of `getIDToken(forcingRefresh:)`.
  public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
    try await getIDToken(forcingRefresh: forceRefresh)
  }

  /// Firebase's name for `getIDToken(forcingRefresh:completion:)`. The completion is called in the same way.
  public func getIDTokenForcingRefresh(_ forceRefresh: Bool, completion: @escaping Completion<String>) {
    getIDToken(forcingRefresh: forceRefresh, completion: completion)
  }
}

/// Firebase's name for the result of `addStateDidChangeListener(_:)`.
public typealias AuthStateDidChangeListenerHandle = AuthListenerHandle

/// Firebase's name for the result of `addIDTokenDidChangeListener(_:)`.
public typealias IDTokenDidChangeListenerHandle = AuthListenerHandle

/// Two handles are equal when they name the same registration of a listener.
extension AuthListenerHandle: Hashable {
  /// Whether both name the same registration.
  public static func == (one: AuthListenerHandle, other: AuthListenerHandle) -> Bool {
    one.registration === other.registration
  }

  /// Hashes the registration.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(registration)) }
}
