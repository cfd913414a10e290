import GRDB
import GatehouseBase

/// A connection of its own for bulk work, such as an import or an export. Blocks its caller: for background threads
/// only.
final class BulkConnection: Sendable {
  private let queue: DatabaseQueue
  private let requireFile: @Sendable () throws -> Void

  /// - Parameter requireFile: throws if the file is no longer at its path.
  init(_ queue: DatabaseQueue, requireFile: @escaping @Sendable () throws -> Void) {
    self.queue = queue
    self.requireFile = requireFile
  }

  /// Changes the database in one transaction, whose changes are on the disk when this returns. Others wait meanwhile.
  func write<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors {
      try queue.write { db in
        try requireFile()
        let value = try work(db)
        try requireFile()
        return value
      }
    }
  }

  /// Reads one snapshot of the database. Others read and write meanwhile.
  func read<Value>(_ work: (Database) throws -> Value) throws(AuthError) -> Value {
    SlowWork.begins(.file)
    return try refusingDatabaseErrors { try queue.read(work) }
  }

  /// Closes the connection.
  func close() { try? queue.close() }
}
