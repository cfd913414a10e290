public import GatehouseBase

/// What was found of users who were asked for at once.
public struct GetUsersResult: Sendable, Hashable {
  /// The users, in no order.
  public let users: [UserRecord]
  /// What names no user.
  public let notFound: [UserIdentifier]
}

/// Some of a project's users.
public struct UserPage: Sendable, Hashable {
  /// The users, in the order of the project.
  public let users: [UserRecord]
  /// Names the next page; `nil` behind the last one.
  public let nextPageToken: String?
}

/// What became of users who were to be deleted at once.
public struct DeleteUsersResult: Sendable, Hashable {
  /// Why one user is left.
  public struct Fault: Sendable, Hashable {
    /// Its place in the list that was given, from 0.
    public let index: Int
    /// Why.
    public let error: AuthError
  }

  /// How many are gone; one who was not there counts.
  public let successCount: Int
  /// One for each user who is left.
  public let errors: [Fault]
  /// How many are left.
  public var failureCount: Int { errors.count }
}
