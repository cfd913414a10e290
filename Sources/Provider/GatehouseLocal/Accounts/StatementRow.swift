import GRDB
import GatehouseBase

/// The row that a statement has just found, read by column index.
///
/// GRDB's `Row` makes a dictionary of all column names each time that a statement runs, which takes longer than the
/// statements that read one row. A column of another type than the schema's is refused; `Row` would end the process.
///
/// `@safe`: the statement lives as long as the cursor that makes the row, and a row is used only until the cursor moves
/// on: in the closure of `Database.row`, and in the loop of `BulkExport`.
@safe struct StatementRow {
  private let statement: SQLiteStatement

  /// Returns the text of a column; `nil` for a null.
  subscript(column: Int) -> String? {
    get throws(AuthError) {
      switch value(column) {
      case .string(let text): return text
      case .null: return nil
      default: throw .unreadableRow
      }
    }
  }

  /// Returns the integer of a column; `nil` for a null.
  subscript(column: Int) -> Int64? {
    get throws(AuthError) {
      switch value(column) {
      case .int64(let integer): return integer
      case .null: return nil
      default: throw .unreadableRow
      }
    }
  }

  /// Returns the text of a column that must not be null.
  func text(_ column: Int) throws(AuthError) -> String {
    guard let text: String = try self[column] else { throw .unreadableRow }
    return text
  }

  /// Returns the integer of a column that must not be null.
  func integer(_ column: Int) throws(AuthError) -> Int64 {
    guard let integer: Int64 = try self[column] else { throw .unreadableRow }
    return integer
  }

  /// Returns the Boolean value of a column that must not be null.
  func flag(_ column: Int) throws(AuthError) -> Bool { try integer(column) != 0 }

  /// Returns the bytes of a column that must not be null.
  func bytes(_ column: Int) throws(AuthError) -> [UInt8] {
    guard case .blob(let data) = value(column) else { throw .unreadableRow }
    return Array(data)
  }

  private func value(_ column: Int) -> DatabaseValue.Storage {
    unsafe DatabaseValue(sqliteStatement: statement, index: CInt(column)).storage
  }
}

// For the cursor, which makes a row as it would make a value of the first column. The first column must not be null.
extension StatementRow: DatabaseValueConvertible, StatementColumnConvertible {
  init?(sqliteStatement: SQLiteStatement, index: CInt) { unsafe statement = sqliteStatement }
  /// A row is no value.
  static func fromDatabaseValue(_ value: DatabaseValue) -> StatementRow? { nil }
  var databaseValue: DatabaseValue { .null }
}

extension AuthError {
  /// The refusal of a row that this version never writes.
  static let unreadableRow = AuthError(
    .providerDamaged, "the accounts database holds a row that this version never writes")
}

extension Database {
  /// Returns the value that `read` makes of a statement's first row; `nil` if there is no row. The row is valid only
  /// inside `read`.
  func row<Value>(
    _ sql: String, _ arguments: StatementArguments, _ read: (StatementRow) throws -> Value
  ) throws -> Value? {
    let rows = try StatementRow.fetchCursor(try cachedStatement(sql: sql), arguments: arguments)
    guard let row = try rows.next() else { return nil }
    let value = try read(row)
    // Read all rows: an unfinished statement keeps its snapshot.
    while try rows.next() != nil {}
    return value
  }
}
