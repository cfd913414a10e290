import GRDB
import GatehouseBase

/// The provider's SQLite database, shared with the other processes that have the same home open.
///
/// Blocks its caller: for background threads only. What a `write` did is on the disk when it returns; a `write` that
/// throws did nothing. Only values leave it.
final class AccountDatabase: Sendable {
  private let pool: DatabasePool

  /// Opens the database, and makes or upgrades its tables. Call with the home's opening lock held.
  ///
  /// - Parameter pragmas: statements that every connection runs first.
  init(path: String, pragmas: [String]) throws(AuthError) {
    SlowWork.begins(.file)
    var configuration = Configuration()
    configuration.label = "gatehouse.accounts"
    configuration.busyMode = .timeout(10)
    configuration.prepareDatabase { db in
      for pragma in pragmas { try db.execute(sql: pragma) }
    }
    pool = try refusingDatabaseErrors {
      try Self.refuseNewer(path)
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction { db in
        // An account that was acknowledged survives a power cut; a deleted password hash does not stay in the file.
        try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
      }
      try AccountSchema.migrator.migrate(pool)
      return pool
    }
  }

  /// Reads one snapshot of the database.
  func read<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try pool.read(work) }
  }

  /// Changes the database in one transaction, which nobody else's overlaps, in this process or another.
  func write<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try pool.write(work) }
  }

  /// Looks before anything is written, through a connection that cannot write.
  private static func refuseNewer(_ path: String) throws {
    var readOnly = Configuration()
    readOnly.readonly = true
    readOnly.busyMode = .timeout(10)
    guard try DatabaseQueue(path: path, configuration: readOnly).read(AccountSchema.migrator.hasBeenSuperseded) else {
      return
    }
    throw AuthError(.providerTooNew, "\(path) was written by a later version of Gatehouse; nothing in it was touched")
  }
}
