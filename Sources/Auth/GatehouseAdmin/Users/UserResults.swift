public import GatehouseBase

/// The result of looking up several users.
public struct GetUsersResult: Sendable, Hashable {
  /// The users, in no particular order.
  public let users: [UserRecord]
  /// The identifiers that match no user.
  public let notFound: [UserIdentifier]
}

/// A page of a project's users.
public struct UserPage: Sendable, Hashable {
  /// The users, in the project's order.
  public let users: [UserRecord]
  /// The token of the next page; `nil` after the last one.
  public let nextPageToken: String?
}

/// The result of deleting several users.
public struct DeleteUsersResult: Sendable, Hashable {
  /// The reason why one user could not be processed.
  public struct Fault: Sendable, Hashable {
    /// The user's index in the list that was passed.
    public let index: Int
    /// The reason.
    public let error: AuthError
  }

  /// The number of deleted users; missing users count as deleted.
  public let successCount: Int
  /// One error for each user who was not deleted.
  public let errors: [Fault]
  /// The number of users that were not deleted.
  public var failureCount: Int { errors.count }
}
