import GRDB
package import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The provider's SQLite database, which is shared with other processes that have the same home open.
///
/// Blocks its caller: for background threads only. The changes of a `write` are on the disk when it returns; a `write`
/// that throws changes nothing. It returns only values.
package final class AccountDatabase: Sendable {
  private let pool: DatabasePool
  private let groups = GroupCommit()
  private let readers: StatementReaders
  private let path: String
  private let configuration: Configuration
  private let isDurable: Bool
  /// The status of the file when it was opened.
  private let file: FileStatus

  /// Opens the database, and creates its tables. Call with the home's opening lock held.
  ///
  /// - Parameters:
  ///   - refusalOfEmpty: the error for a database without tables; `nil` if a new one may be created.
  ///   - pragmas: statements that every connection runs first.
  ///   - ran: called with the text of each statement after those.
  ///   - isDurable: whether acknowledged changes survive a power cut. Without that, they survive the end of the process
  ///     only, and a power cut may damage the database.
  package init(
    path: String, refusalOfEmpty: AuthError?, pragmas: [String], isDurable: Bool = true,
    ran: (@Sendable (String) -> Void)? = nil
  ) throws(AuthError) {
    SlowWork.begins(.file)
    var configuration = Configuration()
    configuration.label = "gatehouse.accounts"
    configuration.busyMode = .timeout(10)
    // Connections are opened when they are needed first, and by then another folder may be in the place of this one.
    let opened = Lock<FileStatus?>(nil)
    configuration.prepareDatabase { db in
      if let file = opened.withLock({ $0 }), try Self.status(path)?.isSame(as: file) != true {
        throw Self.lost(path)
      }
      for pragma in pragmas { try db.execute(sql: pragma) }
      if let ran { db.trace { ran("\($0)") } }
    }
    self.path = path
    self.configuration = configuration
    self.isDurable = isDurable
    readers = StatementReaders(path, configuration)
    (pool, file) = try refusingDatabaseErrors {
      try Self.inspect(path, refusalOfEmpty: refusalOfEmpty)
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { db in try Self.prepareWriter(db, isDurable: isDurable) }
      try AccountSchema.migrator.migrate(pool)
      guard let file = try Self.status(path) else { throw Self.lost(path) }
      opened.withLock { $0 = file }
      return (pool, file)
    }
  }

  private static func prepareWriter(_ db: Database, isDurable: Bool) throws {
    // An account that was acknowledged survives a power cut. A deleted password hash does not remain in the file.
    try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "OFF"); PRAGMA secure_delete = ON")
  }

  /// Opens a connection for bulk work. The changes of other callers wait for one transaction of it at a time, and its
  /// snapshot is its own.
  func bulkConnection() throws(AuthError) -> BulkConnection {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors {
      var configuration = configuration
      configuration.label = "gatehouse.accounts.bulk"
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { db in
        try Self.prepareWriter(db, isDurable: isDurable)
        // Pages that many rows change are copied into the database once, not after every batch.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
      }
      return BulkConnection(queue, requireFile: { [self] in try requireFile() })
    }
  }

  private static func status(_ path: String) throws(AuthError) -> FileStatus? {
    try attempting("examine \(path)") { () throws(SystemError) in try FileStatus.at(path) }
  }

  /// Refuses to write to a file that is no longer at its path, because no later process would find the data.
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

  /// Reads with one statement, without a transaction. The statement sees one snapshot; a second one may see a later
  /// snapshot.
  func readOnce<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try readers.read(work) }
  }

  /// Changes the database in one transaction. No other one overlaps it, in this process or another.
  func write<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try writeToFile(work) }
  }

  /// Runs one transaction. It is only acknowledged if the file is still the provider's at its end.
  private func writeToFile<Value>(_ work: (Database) throws -> Value) throws -> Value {
    try pool.write { db in
      try requireFile()
      let value = try work(db)
      try requireFile()
      return value
    }
  }

  /// Refuses a database that cannot be written now: rewrites an existing value.
  func requireWritable() throws(AuthError) {
    try writeTogether { db in
      let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      try db.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// Changes the database in one transaction together with other waiting callers, so that all wait for the disk once.
  /// Work that throws changes nothing, and does not affect the others.
  func writeTogether<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) throws(AuthError) -> Value
  {
    SlowWork.begins(.file)
    return try groups.run(work) { changes in try writeToFile(changes) }
  }

  /// As the other `writeTogether`, but blocks no thread.
  ///
  /// - Parameters:
  ///   - background: the queue whose threads make this change and the others of its group.
  ///   - end: called with the outcome, once, on the thread that made the change; must be quick.
  func writeTogether<Value: Sendable>(
    on background: BackgroundQueue, _ work: @escaping @Sendable (Database) throws -> Value,
    then end: @escaping @Sendable (Result<Value, AuthError>) -> Void
  ) {
    groups.begin(work, on: background, writing: { [self] changes in try writeToFile(changes) }, then: end)
  }

  /// Copies a snapshot of the database into an empty file. Others can read and write meanwhile.
  ///
  /// The file is unlinked before anything is written to it, so that a killed process leaves no copy behind. Open the
  /// file first in order to read it.
  ///
  /// - Returns: The result of `read` in the same transaction.
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

  /// Reads every page, and refuses a damaged database.
  func requireIntegrity() throws(AuthError) {
    let verdict = try read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") }
    guard verdict == "ok" else {
      throw AuthError(.providerDamaged, "the accounts database is damaged (\(verdict ?? "no answer"))")
    }
  }

  /// Closes the database. If no other process has it open, `accounts.sqlite` then contains everything: SQLite copies
  /// the `-wal` file into it and removes that file. Call this when nothing reads or writes any more.
  func close() throws(AuthError) {
    SlowWork.begins(.file)
    try refusingDatabaseErrors {
      // SQLite cleans up with the last connection, if that can write. So the read-only connections are closed first.
      try readers.close()
      pool.invalidateReadOnlyConnections()
      try pool.close()
    }
  }

  /// Examines the database before anything is written, through a read-only connection.
  private static func inspect(_ path: String, refusalOfEmpty: AuthError?) throws {
    var readOnly = Configuration()
    readOnly.readonly = true
    readOnly.busyMode = .timeout(10)
    let migrator = AccountSchema.migrator
    let applied = try DatabaseQueue(path: path, configuration: readOnly).read(migrator.appliedIdentifiers)
    if applied.contains(AccountSchema.outdated) {
      throw AuthError(
        .providerTooOld,
        "\(path) was written by a Gatehouse from before its first version, whose tables are not read any more; nothing "
          + "in it was touched; use the program that wrote it, or begin anew in another folder")
    }
    if !applied.isSubset(of: migrator.migrations) {
      throw AuthError(.providerTooNew, "\(path) was written by a later version of Gatehouse; nothing in it was touched")
    }
    if applied.isEmpty, let refusalOfEmpty { throw refusalOfEmpty }
  }

  /// Returns the error for a database that lacks data which the keys prove it had.
  static func damaged(_ path: String, _ fault: String) -> AuthError {
    AuthError(
      .providerDamaged,
      "\(path) \(fault), and there are keys: its -wal file was removed, or a part of a copy put in its place; "
        + "restore the provider from a backup, or remove its folder to start anew")
  }
}
