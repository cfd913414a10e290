/// Deletes an account for good.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/delete
public struct DeleteAccount: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:delete"

  /// The user's identifier.
  public var localId: String
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// Asks for the end of an account.
  public init(localId: String) { self.localId = localId }

  /// Nothing.
  public typealias Response = Delete.Response
}

/// Deletes many accounts for good. One that is not there counts as deleted.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchDelete
public struct DeleteAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:batchDelete"
  /// How many it may name.
  public static let most = 1000

  /// The users' identifiers.
  public var localIds: [String]
  /// Whether accounts that are not disabled are deleted as well.
  public var force: Bool?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// Asks for the end of these accounts.
  public init(localIds: [String], force: Bool = false) {
    self.localIds = localIds
    self.force = force
  }

  /// What was not deleted.
  public struct Response: Codable, Sendable, Hashable {
    /// One for each account that is left; `nil` for none.
    public var errors: [Fault]?

    /// Answers with what is left.
    public init(errors: [Fault] = []) { self.errors = errors.isEmpty ? nil : errors }
  }

  /// Why one account is left.
  public struct Fault: Codable, Sendable, Hashable {
    /// Its place in the request, from 0.
    public var index: Int
    /// The user's identifier.
    public var localId: String?
    /// `CODE` or `CODE : text`.
    public var message: String

    /// An account that is left.
    public init(index: Int, localId: String?, message: String) {
      self.index = index
      self.localId = localId
      self.message = message
    }
  }
}
