public import GatehouseBase

/// Checks a code of a message, or sets a new password with it.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/resetPassword
public struct ResetPassword: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:resetPassword"

  /// The code of the message.
  public var oobCode: Secret
  /// The new password; `nil` only checks the code, without using it up.
  public var newPassword: Secret?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// Checks a code, or sets a new password with it.
  public init(oobCode: Secret, newPassword: Secret? = nil) {
    self.oobCode = oobCode
    self.newPassword = newPassword
  }

  /// The response: the purpose of the code.
  public struct Response: Codable, Sendable, Hashable {
    /// The purpose of the code.
    public var requestType: ActionCodeType?
    /// The account's address; `nil` for `.emailSignIn`, whose user knows the address.
    public var email: String?
    /// The address that the code gives the account.
    public var newEmail: String?

    /// Makes a response with the code's purpose.
    ///
    /// - Parameters:
    ///   - requestType: the purpose of the code.
    ///   - email: the account's address.
    ///   - newEmail: the address that the code gives the account.
    public init(requestType: ActionCodeType, email: String?, newEmail: String? = nil) {
      self.requestType = requestType
      self.email = email
      self.newEmail = newEmail
    }
  }
}
