/// Permanently deletes an account.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/delete
public struct DeleteAccount: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:delete"

  /// The user's identifier.
  public var localId: String
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// Makes a request to delete an account.
  public init(localId: String) { self.localId = localId }

  /// The empty response.
  public typealias Response = Delete.Response
}

/// Permanently deletes many accounts. A missing account counts as deleted.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchDelete
public struct DeleteAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:batchDelete"
  /// The maximum number of accounts in a request.
  public static let most = 1000

  /// The users' identifiers.
  public var localIds: [String]
  /// Whether accounts that are not disabled are deleted as well.
  public var force: Bool?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// Makes a request to delete these accounts.
  public init(localIds: [String], force: Bool = false) {
    self.localIds = localIds
    self.force = force
  }

  /// The response: the accounts that were not deleted.
  public struct Response: Codable, Sendable, Hashable {
    /// One error for each account that was not deleted; `nil` for none.
    public var errors: [Fault]?

    /// Makes a response with the errors.
    public init(errors: [Fault] = []) { self.errors = errors.isEmpty ? nil : errors }
  }

  /// The reason why one account was not deleted.
  public struct Fault: Codable, Sendable, Hashable {
    /// The account's index in the request.
    public var index: Int
    /// The user's identifier.
    public var localId: String?
    /// The error: `CODE` or `CODE : text`.
    public var message: String

    /// Makes an error for an account that was not deleted.
    public init(index: Int, localId: String?, message: String) {
      self.index = index
      self.localId = localId
      self.message = message
    }
  }
}
