public import Foundation
import IdentityToolkit

/// An active session of a user, on this machine or another.
public struct UserSessionInfo: Sendable, Hashable {
  /// The session's identifier: the `sid` claim of its ID tokens.
  public let id: String
  /// The sign-in method: `password`, `google.com`, `anonymous`.
  public let signInProvider: String
  /// When the user signed in; refreshing does not change it.
  public let signInDate: Date
  /// The second factor of the sign-in: `totp`, `phone`, `recovery_code`.
  public let signInSecondFactor: String?
  /// Whether this is the session that made the request.
  public let isCurrent: Bool

  init(_ session: ListSessions.Session) {
    id = session.sessionId
    signInProvider = session.signInProvider
    signInDate = Date(timeIntervalSince1970: Double(session.authTime.value))
    signInSecondFactor = session.signInSecondFactor
    isCurrent = session.isCurrent ?? false
  }
}
