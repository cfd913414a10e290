import IdentityToolkit

/// What a code of a message is for.
public enum ActionCodeOperation: Sendable, Hashable, CaseIterable {
  /// Something that this version does not know.
  case unknown
  /// Sets a new password.
  case passwordReset
  /// Verifies the account's address.
  case verifyEmail
  /// Gives the account its former address back.
  case recoverEmail
  /// Signs in.
  case emailLink
  /// Verifies another address, and gives it to the account.
  case verifyAndChangeEmail
  /// Takes back a second factor that was added.
  case revertSecondFactorAddition

  /// The name in links, and the protocol's own.
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

/// What a code does, as the provider says it.
public struct ActionCodeInfo: Sendable, Hashable {
  /// What the code is for.
  public let operation: ActionCodeOperation
  /// The address that the account has when the code is used; of a sign-in, the address that signs in.
  public let email: String
  /// The address that it has before, where the code changes it.
  public let previousEmail: String?

  /// - Throws: `.internalError` for an answer without an address.
  init(_ response: ResetPassword.Response) throws(AuthError) {
    guard let email = response.newEmail ?? response.email else {
      throw AuthError(.internalError, "\(ResetPassword.endpoint) was answered without an address; check the backend")
    }
    operation = ActionCodeOperation(response.requestType)
    self.email = email
    previousEmail = response.newEmail == nil ? nil : response.email
  }
}
