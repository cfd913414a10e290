/// The options of an export of accounts to files.
public struct UserFileExportOptions: Sendable, Hashable {
  /// The files' format; `nil` if the name ends with the format.
  public var format: UserFileFormat?
  /// The tenant of the accounts; `nil` for the project itself, without its tenants.
  public var tenantID: String?
  /// Whether existing files are replaced. The files of an earlier export, such as `users.2.json`, that this one does
  /// not need are removed at its end.
  public var replacesFiles = false

  /// Makes options with nothing set.
  public init() {}
}

/// The outcome of an export.
public struct UserFileExportResult: Sendable, Hashable {
  /// A file that was written.
  public struct File: Sendable, Hashable {
    /// The file's path.
    public let path: String
    /// The number of its accounts.
    public let users: Int
    /// The parameters of its password hashes; `nil` if it has no passwords.
    public let hash: UserFileHash?
    /// The path of the file with these parameters, which has the key of the hashes; `nil` if it has no passwords.
    public let hashFile: String?
  }

  /// The files. There is one for each set of parameters of password hashes, because an import has one set.
  public internal(set) var files: [File] = []
  /// The number of exported accounts.
  public internal(set) var users = 0
  /// The maximum number of `refusals`.
  public static let mostRefusals = 1000

  /// The number of accounts that were left out, because a column of a CSV file cannot hold a value of theirs: a phone
  /// number that is not `+` and digits, a time before 1970.
  public internal(set) var refused = 0
  /// The first accounts that were left out, up to `mostRefusals`. Their `row` is the account's number in the order of
  /// the identifiers, from 1.
  public internal(set) var refusals: [UserFileRefusal] = []
  /// The number of identity providers' users that were left out, because the format has no provider of that name.
  public internal(set) var leftOutIdentities = 0
  /// The number of second factors that were left out: authenticator apps, whose secrets are never exported, and in a
  /// CSV file phones too.
  public internal(set) var leftOutFactors = 0
  /// The number of accounts of tenants, which an export of the project itself does not have.
  public internal(set) var leftOutOfTenants = 0
  /// The files of an earlier export that were removed.
  public internal(set) var removedFiles: [String] = []
}
