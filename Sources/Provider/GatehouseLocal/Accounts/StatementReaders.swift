import GRDB
import GatehouseQueues

/// Connections that read with one statement at a time, and therefore without a transaction. A thread takes an idle
/// connection, or opens a new one, so there are as many as threads that have read at the same time. GRDB's pool passes
/// a connection through three queues and reads the schema version each time, which takes longer than a short statement.
///
/// Blocks its callers: for background threads only.
final class StatementReaders: Sendable {
  private struct State: Sendable {
    var idle: [DatabaseQueue] = []
    var isClosed = false
  }

  private let path: String
  private let configuration: Configuration
  private let state = Lock(State())

  init(_ path: String, _ configuration: Configuration) {
    var configuration = configuration
    configuration.readonly = true
    configuration.label = "gatehouse.accounts.reader"
    self.path = path
    self.configuration = configuration
  }

  func read<Value>(_ work: (Database) throws -> Value) throws -> Value {
    let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
    guard !isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database was closed") }
    let reader = try idle ?? DatabaseQueue(path: path, configuration: configuration)
    defer { putBack(reader) }
    return try reader.inDatabase(work)
  }

  private func putBack(_ reader: DatabaseQueue) {
    state.withLock { if !$0.isClosed { $0.idle.append(reader) } }
  }

  /// Closes the connections. Call after the last read.
  func close() throws {
    let readers = state.withLock { state in
      defer { state = State(isClosed: true) }
      return state.idle
    }
    for reader in readers { try reader.close() }
  }
}
