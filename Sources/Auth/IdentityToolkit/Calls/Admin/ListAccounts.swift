/// Lists all accounts, one page at a time, in the order of their identifiers.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchGet
public struct ListAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:batchGet"
  /// `.get`.
  public static let method = CallMethod.get
  /// `true`: the call changes nothing.
  public static let isReadOnly = true
  /// The maximum number of accounts in a page.
  public static let most = 1000

  /// The maximum number of accounts in this page; `nil` for 20, Google's default.
  public var maxResults: DecimalString?
  /// The token of the page, from the previous answer; `nil` for the first page.
  public var nextPageToken: String?
  /// The tenant; `nil` for the project's own accounts.
  public var tenantId: String?

  /// Makes a request for the first page.
  public init() {}

  /// The response: a page of accounts.
  public struct Response: Codable, Sendable, Hashable {
    /// The accounts; `nil` for none.
    public var users: [Account]?
    /// The token of the next page; `nil` after the last one.
    public var nextPageToken: String?

    /// Makes a response with a page.
    public init(users: [Account], nextPageToken: String?) {
      self.users = users.isEmpty ? nil : users
      self.nextPageToken = nextPageToken
    }
  }
}

/// Counts the accounts, or finds accounts by a condition.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/query
public struct QueryAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:query"
  /// `true`: the call changes nothing.
  public static let isReadOnly = true

  /// Whether to return accounts, the default, or only their number.
  public var returnUserInfo: Bool?
  /// The maximum number of accounts; 500 is both the limit and the default.
  public var limit: DecimalString?
  /// The number of accounts to skip.
  public var offset: DecimalString?
  /// The conditions, of which an account must meet at least one. `nil` for all accounts.
  public var expression: [Condition]?
  /// The tenant; `nil` for the project's own accounts.
  public var tenantId: String?

  /// A condition. An account must have all values that are set.
  public struct Condition: Codable, Sendable, Hashable {
    /// The address.
    public var email: String?
    /// The user's identifier.
    public var userId: String?
    /// The phone number.
    public var phoneNumber: String?

    /// Makes a condition that every account meets.
    public init() {}
  }

  /// Makes a request for all accounts.
  public init() {}

  /// The response: the accounts, or their number.
  public struct Response: Codable, Sendable, Hashable {
    /// The number of accounts that exist, or were found.
    public var recordsCount: DecimalString
    /// The accounts.
    public var userInfo: [Account]?

    /// Makes a response with accounts, or only with their number.
    public init(recordsCount: Int64, userInfo: [Account]? = nil) {
      self.recordsCount = DecimalString(recordsCount)
      self.userInfo = userInfo
    }
  }
}
