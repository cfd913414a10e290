import IdentityToolkit

/// The purpose of an action code.
public enum ActionCodeOperation: Sendable, Hashable, CaseIterable {
  /// An operation that this version does not know.
  case unknown
  /// Sets a new password.
  case passwordReset
  /// Verifies the account's address.
  case verifyEmail
  /// Restores the account's former address.
  case recoverEmail
  /// Signs in.
  case emailLink
  /// Verifies a new address, and makes it the account's address.
  case verifyAndChangeEmail
  /// Removes a second factor that was added.
  case revertSecondFactorAddition

  /// The operation's name in links, and its type in the protocol.
  private var names: (mode: String, type: ActionCodeType)? {
    switch self {
    case .unknown: nil
    case .passwordReset: ("resetPassword", .passwordReset)
    case .verifyEmail: ("verifyEmail", .verifyEmail)
    case .recoverEmail: ("recoverEmail", .recoverEmail)
    case .emailLink: ("signIn", .emailSignIn)
    case .verifyAndChangeEmail: ("verifyAndChangeEmail", .verifyAndChangeEmail)
    case .revertSecondFactorAddition: ("revertSecondFactorAddition", .revertSecondFactorAddition)
    }
  }

  init(mode: String?) {
    self = Self.allCases.first { $0.names.map { mode?.isExactly($0.mode) ?? false } ?? false } ?? .unknown
  }

  init(_ type: ActionCodeType?) {
    self = Self.allCases.first { $0.names != nil && $0.names?.type == type } ?? .unknown
  }
}

/// The purpose and the addresses of an action code, as the provider reports them.
public struct ActionCodeInfo: Sendable, Hashable {
  /// The purpose of the code.
  public let operation: ActionCodeOperation
  /// The address that the account has once the code is used. Empty for a sign-in: the link does not tell its address,
  /// which the person who asked for the link knows.
  public let email: String
  /// The account's former address, if the code changes the address.
  public let previousEmail: String?

  /// - Throws: `.internalError` if the answer contains no address.
  init(_ response: ResetPassword.Response) throws(AuthError) {
    guard let email = response.newEmail ?? response.email ?? (response.requestType == .emailSignIn ? "" : nil) else {
      throw AuthError(.internalError, "\(ResetPassword.endpoint) was answered without an address; check the backend")
    }
    operation = ActionCodeOperation(response.requestType)
    self.email = email
    previousEmail = response.newEmail == nil ? nil : response.email
  }
}
