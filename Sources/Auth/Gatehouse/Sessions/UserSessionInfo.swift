public import Foundation
import IdentityToolkit

/// A sign-in of a user that can still be used, on this machine or another.
public struct UserSessionInfo: Sendable, Hashable {
  /// Names it: the `sid` of its ID tokens.
  public let id: String
  /// How the user signed in: `password`, `google.com`, `anonymous`.
  public let signInProvider: String
  /// When the user signed in; refreshing does not change it.
  public let signInDate: Date
  /// The second factor of the sign-in: `totp`, `phone`, `recovery_code`.
  public let signInSecondFactor: String?
  /// Whether it is the one that has asked.
  public let isCurrent: Bool

  init(_ session: ListSessions.Session) {
    id = session.sessionId
    signInProvider = session.signInProvider
    signInDate = Date(timeIntervalSince1970: Double(session.authTime.value))
    signInSecondFactor = session.signInSecondFactor
    isCurrent = session.isCurrent ?? false
  }
}
