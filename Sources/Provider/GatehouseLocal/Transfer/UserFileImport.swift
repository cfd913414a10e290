/// The options of an import of a file of accounts.
public struct UserFileImportOptions: Sendable, Hashable {
  /// The file's format; `nil` if its name ends with the format.
  public var format: UserFileFormat?
  /// The parameters of the file's password hashes; `nil` if it has no passwords.
  public var hash: UserFileHash?
  /// The tenant of the accounts; `nil` for the project itself.
  public var tenantID: String?
  /// The path of a file for the rows that are refused, as they are in the imported file. No file may be
  /// there. It is written when the import has ended, if a row was refused. `nil` for none.
  public var refusedFile: String?

  /// Makes options with nothing set.
  public init() {}
}

/// A row of a file that is no account here, or an account that a file cannot hold, with the reason.
public struct UserFileRefusal: Sendable, Hashable {
  /// The row's number in the file, from 1.
  public let row: Int
  /// The user's identifier; `nil` if the row has none that can be read.
  public let uid: String?
  /// The reason, for people to read.
  public let reason: String
}

/// The outcome of an import.
public struct UserFileImportResult: Sendable, Hashable {
  /// The maximum number of `refusals`.
  public static let mostRefusals = 1000
  static let mostIgnoredMembers = 100

  /// The number of accounts that were imported.
  public internal(set) var imported = 0
  /// The number of rows whose account was there already, for example because an earlier run has imported it. Such an
  /// account stays as it is, apart from `corrected`.
  public internal(set) var alreadyThere = 0
  /// The number of accounts, among those that were there already, whose password has got the parameters of this import:
  /// an earlier import had others, and its password was neither used nor changed since.
  public internal(set) var corrected = 0
  /// The number of rows that were refused.
  public internal(set) var refused = 0
  /// The first refused rows, up to `mostRefusals`. `UserFileImportOptions.refusedFile` has all of them.
  public internal(set) var refusals: [UserFileRefusal] = []
  /// The names of the members of a JSON file's accounts that no account here can have. At most a hundred names are
  /// kept, of at most 64 characters.
  public internal(set) var ignoredMembers: Set<String> = []
}

/// The progress of an import or an export.
public struct UserFileProgress: Sendable, Hashable {
  /// The number of accounts that were read, including those that are refused.
  public let users: Int
  /// The part that is done, from 0 to 1.
  public let fraction: Double
}
