import GRDB
import GatehouseBase

// Statements with a constant text. SQLite compiles each of them once per connection, because compiling takes several
// times as long as running.

extension FetchableRecord {
  /// Returns the first row that a statement finds.
  static func first(_ sql: String, _ arguments: StatementArguments, in db: Database) throws -> Self? {
    try fetchOne(try db.statement(sql), arguments: arguments)
  }

  /// Returns every row that a statement finds.
  static func every(_ sql: String, _ arguments: StatementArguments = [], in db: Database) throws -> [Self] {
    try fetchAll(try db.statement(sql), arguments: arguments)
  }
}

extension Database {
  /// Runs a statement that changes rows.
  func change(_ sql: String, _ arguments: StatementArguments) throws {
    try statement(sql).execute(arguments: arguments)
  }

  /// Whether a statement finds a row.
  func finds(_ sql: String, _ arguments: StatementArguments) throws -> Bool {
    try Row.fetchOne(try statement(sql), arguments: arguments) != nil
  }

  fileprivate func statement(_ sql: String) throws -> Statement {
    Steps.add(1)
    return try cachedStatement(sql: sql)
  }
}
