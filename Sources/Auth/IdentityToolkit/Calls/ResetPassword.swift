public import GatehouseBase

/// Checks a code of a message; with a new password, sets that.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/resetPassword
public struct ResetPassword: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:resetPassword"

  /// The code of the message.
  public var oobCode: Secret
  /// The new password; `nil` only checks the code, which stays good.
  public var newPassword: Secret?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// Checks a code, or sets a new password with it.
  public init(oobCode: Secret, newPassword: Secret? = nil) {
    self.oobCode = oobCode
    self.newPassword = newPassword
  }

  /// What the code is for.
  public struct Response: Codable, Sendable, Hashable {
    /// What the code is for.
    public var requestType: ActionCodeType?
    /// The account's address; for `.emailSignIn` there may be no account.
    public var email: String?
    /// The address that the account gets by the code.
    public var newEmail: String?

    /// Answers with the code's purpose.
    ///
    /// - Parameters:
    ///   - requestType: what the code is for.
    ///   - email: the account's address.
    ///   - newEmail: the address that the account gets by the code.
    public init(requestType: ActionCodeType, email: String?, newEmail: String? = nil) {
      self.requestType = requestType
      self.email = email
      self.newEmail = newEmail
    }
  }
}
