/// Asks for all accounts, some at a time, in the order of their identifiers.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchGet
public struct ListAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:batchGet"
  /// A question.
  public static let method = CallMethod.get
  /// It only asks.
  public static let isReadOnly = true
  /// How many accounts a page may have.
  public static let most = 1000

  /// How many accounts the page may have; `nil` for 20, as Google's default.
  public var maxResults: DecimalString?
  /// Names the page, by the answer before; `nil` for the first one.
  public var nextPageToken: String?
  /// The tenant; `nil` for the project's own accounts.
  public var tenantId: String?

  /// Asks for the first page.
  public init() {}

  /// A page.
  public struct Response: Codable, Sendable, Hashable {
    /// The accounts; `nil` for none.
    public var users: [Account]?
    /// Names the next page; `nil` behind the last one.
    public var nextPageToken: String?

    /// Answers with a page.
    public init(users: [Account], nextPageToken: String?) {
      self.users = users.isEmpty ? nil : users
      self.nextPageToken = nextPageToken
    }
  }
}

/// Counts the accounts, or asks for some by a condition.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/query
public struct QueryAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:query"
  /// It only asks.
  public static let isReadOnly = true

  /// Whether accounts are wanted, `true` unless set, or only their number.
  public var returnUserInfo: Bool?
  /// How many accounts at most; 500 at most, which is the default.
  public var limit: DecimalString?
  /// How many accounts are passed over.
  public var offset: DecimalString?
  /// The conditions; an account that meets one of them is wanted. `nil` for all accounts.
  public var expression: [Condition]?
  /// The tenant; `nil` for the project's own accounts.
  public var tenantId: String?

  /// What an account must have: all that is set here.
  public struct Condition: Codable, Sendable, Hashable {
    /// The address.
    public var email: String?
    /// The user's identifier.
    public var userId: String?
    /// The phone number.
    public var phoneNumber: String?

    /// A condition that every account meets.
    public init() {}
  }

  /// Asks for all accounts.
  public init() {}

  /// The accounts, or their number.
  public struct Response: Codable, Sendable, Hashable {
    /// How many accounts there are, or were found.
    public var recordsCount: DecimalString
    /// The accounts.
    public var userInfo: [Account]?

    /// Answers with accounts, or with nothing but their number.
    public init(recordsCount: Int64, userInfo: [Account]? = nil) {
      self.recordsCount = DecimalString(recordsCount)
      self.userInfo = userInfo
    }
  }
}
