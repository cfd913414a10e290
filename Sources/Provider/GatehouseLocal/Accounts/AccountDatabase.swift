import GRDB
package import GatehouseBase
import GatehouseSystem

/// The provider's SQLite database, shared with the other processes that have the same home open.
///
/// Blocks its caller: for background threads only. The changes of a `write` are on the disk when it returns; a `write`
/// that throws changes nothing. Only values leave it.
package final class AccountDatabase: Sendable {
  private let pool: DatabasePool
  private let groups = GroupCommit()
  private let path: String
  /// The file as it was opened.
  private let file: FileStatus
  /// Whether opening it upgraded tables of an earlier version.
  let wasUpgraded: Bool

  /// Opens the database, and makes or upgrades its tables. Call with the home's opening lock held.
  ///
  /// - Parameters:
  ///   - refusalOfEmpty: why a database without tables is refused; `nil` where one may begin.
  ///   - pragmas: statements that every connection runs first.
  ///   - requireUnused: called before tables of an earlier version are upgraded; throws while a program that knows only
  ///     those may write to them.
  package init(
    path: String, refusalOfEmpty: AuthError?, pragmas: [String],
    requireUnused: () throws(AuthError) -> Void = {}
  ) throws(AuthError) {
    SlowWork.begins(.file)
    var configuration = Configuration()
    configuration.label = "gatehouse.accounts"
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { db in
      for pragma in pragmas { try db.execute(sql: pragma) }
    }
    self.path = path
    (pool, wasUpgraded, file) = try refusingDatabaseErrors {
      let isOutdated = try Self.inspect(path, refusalOfEmpty: refusalOfEmpty)
      if isOutdated { try requireUnused() }
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { db in
        // An account that was acknowledged survives a power cut; a deleted password hash does not stay in the file.
        try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
      }
      try AccountSchema.migrator.migrate(pool)
      guard let file = try Self.status(path) else { throw Self.lost(path) }
      return (pool, isOutdated, file)
    }
  }

  private static func status(_ path: String) throws(AuthError) -> FileStatus? {
    try attempting("examine \(path)") { () throws(SystemError) in try FileStatus.at(path) }
  }

  /// Refuses to write to a file that has lost its name: no later process would find what was written.
  private func requireFile() throws(AuthError) {
    guard try Self.status(path)?.isSame(as: file) == true else { throw Self.lost(path) }
  }

  private static func lost(_ path: String) -> AuthError {
    AuthError(
      .providerUnavailable,
      "\(path) is not the file that was opened: the provider's folder was removed, moved or replaced while it was in "
        + "use; nothing was changed; put the folder back where it was, or end this program and start it again")
  }

  /// Reads one snapshot of the database.
  func read<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try pool.read(work) }
  }

  /// Changes the database in one transaction. No other one overlaps it, in this process or another.
  func write<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try writeToFile(work) }
  }

  /// One transaction, of which nothing is acknowledged unless the file is still the provider's at its end.
  private func writeToFile<Value>(_ work: (Database) throws -> Value) throws -> Value {
    try pool.write { db in
      try requireFile()
      let value = try work(db)
      try requireFile()
      return value
    }
  }

  /// Refuses a database that cannot be written now: writes what is there already.
  func requireWritable() throws(AuthError) {
    try writeTogether { db in
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      try db.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// Changes the database in one transaction with the other callers that wait for this: they wait for the disk once.
  /// What throws changes nothing, whatever becomes of the others.
  func writeTogether<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) throws(AuthError) -> Value
  {
    SlowWork.begins(.file)
    return try groups.run(work) { changes in try writeToFile(changes) }
  }

  /// Copies the database, as one transaction sees it, into an empty file; others go on reading and writing.
  ///
  /// The file loses its name before anything is in it, so that no kill leaves a copy behind: open it first to read it.
  ///
  /// - Returns: what `read` found in the same transaction.
  func copy<Value>(
    to file: borrowing OpenFile, named name: String, in folder: borrowing OpenFolder,
    reading read: (Database) throws -> Value
  ) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors {
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      }
      let copy = try DatabaseQueue(path: file.path, configuration: configuration)
      try attempting("remove \(file.path)") { () throws(SystemError) in try folder.remove(name) }
      let value = try pool.read { db in
        try copy.inDatabase { copy in try db.backup(to: copy) }
        return try read(db)
      }
      try copy.close()
      return value
    }
  }

  /// Reads every page, and refuses a database that is not sound.
  func requireIntegrity() throws(AuthError) {
    let verdict = try read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") }
    guard verdict == "ok" else {
      throw AuthError(.providerDamaged, "the accounts database is damaged (\(verdict ?? "no answer"))")
    }
  }

  /// Closes the database. When no other process has it open, `accounts.sqlite` holds everything: SQLite copies the
  /// `-wal` file into it and removes that. Call when nothing reads or writes any more.
  func close() throws(AuthError) {
    SlowWork.begins(.file)
    try refusingDatabaseErrors {
      // SQLite tidies up with the last connection, if that may write: the readers go first.
      pool.invalidateReadOnlyConnections()
      try pool.close()
    }
  }

  /// Looks before anything is written, through a connection that cannot write.
  ///
  /// - Returns: whether its tables are of an earlier version.
  private static func inspect(_ path: String, refusalOfEmpty: AuthError?) throws -> Bool {
    var readOnly = Configuration()
    readOnly.readonly = true
    readOnly.busyMode = .timeout(10)
    let migrator = AccountSchema.migrator
    let (isNewer, isEmpty, isCurrent) = try DatabaseQueue(path: path, configuration: readOnly).read { db in
      try (
        migrator.hasBeenSuperseded(db), migrator.appliedIdentifiers(db).isEmpty, migrator.hasCompletedMigrations(db)
      )
    }
    if isNewer {
      throw AuthError(.providerTooNew, "\(path) was written by a later version of Gatehouse; nothing in it was touched")
    }
    if isEmpty, let refusalOfEmpty { throw refusalOfEmpty }
    return !isEmpty && !isCurrent
  }

  /// The refusal of a database that has lost what keys prove that it had.
  static func damaged(_ path: String, _ fault: String) -> AuthError {
    AuthError(
      .providerDamaged,
      "\(path) \(fault), and there are keys: its -wal file was removed, or a part of a copy put in its place; "
        + "restore the provider from a backup, or remove its folder to start anew")
  }
}
