import GatehouseBase
import IdentityToolkit

/// How long the codes of messages are good.
public struct CodeLifetimes: Sendable, Hashable {
  /// A new password: an hour unless set otherwise.
  public var passwordReset: Duration = .seconds(3600)
  /// A sign-in: an hour.
  public var emailSignIn: Duration = .seconds(3600)
  /// The verification of an address, the account's own or a new one: three days.
  public var verification: Duration = .seconds(3 * 86400)
  /// The recovery of a former address: thirty days.
  public var recovery: Duration = .seconds(30 * 86400)

  /// The defaults.
  public init() {}

  func seconds(of type: ActionCodeType) -> Int64 {
    switch type {
    case .passwordReset: passwordReset.wholeSeconds
    case .emailSignIn: emailSignIn.wholeSeconds
    case .recoverEmail: recovery.wholeSeconds
    default: verification.wholeSeconds
    }
  }

  var all: [Int64] { [passwordReset, emailSignIn, verification, recovery].map(\.wholeSeconds) }
}
