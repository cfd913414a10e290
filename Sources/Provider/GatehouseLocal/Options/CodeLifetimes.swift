import GatehouseBase
import IdentityToolkit

/// The lifetimes of messages' codes.
public struct CodeLifetimes: Sendable, Hashable {
  /// The lifetime of a code for a new password; an hour by default.
  public var passwordReset: Duration = .seconds(3600)
  /// The lifetime of a code for a sign-in; an hour by default.
  public var emailSignIn: Duration = .seconds(3600)
  /// The lifetime of a code that verifies an address, the account's own or a new one; three days by default.
  public var verification: Duration = .seconds(3 * 86400)
  /// The lifetime of a code that takes a change back: recovers a former address, removes a second factor, or empties an
  /// account; thirty days by default.
  public var recovery: Duration = .seconds(30 * 86400)
  /// The time after an enrollment in which the code of its message removes the second factor alone; three days by
  /// default. Afterwards the code needs the account's password, or `secondFactorWait`.
  public var secondFactorRemoval: Duration = .seconds(3 * 86400)
  /// The waiting time before a code removes a second factor without the account's password; three days by default. It
  /// begins when the code is used, with a message to the account's address.
  public var secondFactorWait: Duration = .seconds(3 * 86400)

  /// The defaults.
  public init() {}

  func seconds(of type: ActionCodeType) -> Int64 {
    switch type {
    case .passwordReset: passwordReset.wholeSeconds
    case .emailSignIn: emailSignIn.wholeSeconds
    case .recoverEmail, .revertSecondFactorAddition: recovery.wholeSeconds
    default: verification.wholeSeconds
    }
  }

  var all: [Int64] {
    [passwordReset, emailSignIn, verification, recovery, secondFactorRemoval, secondFactorWait].map(\.wholeSeconds)
  }
}
