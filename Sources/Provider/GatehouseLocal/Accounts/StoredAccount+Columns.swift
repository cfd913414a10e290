import GRDB
import GatehouseBase

// Reads the rows of the most frequent statements by column index. Reading them by name, as `Codable` does, takes longer
// than the statement itself.

extension StoredRefreshToken {
  /// The columns in the order in which `init(columns:)` reads them.
  static let columns = """
    refreshToken.hash, refreshToken.uid, refreshToken.session, refreshToken.provider, refreshToken.authTime, \
    refreshToken.state, refreshToken.claims, refreshToken.factor, refreshToken.factorID, refreshToken.generation, \
    refreshToken.endedAt, refreshToken.signedInAt
    """
  static let columnCount = 12

  /// Reads a refresh token from the first columns of a row.
  init(columns row: Row) throws(AuthError) {
    hash = try row.text(0)
    uid = try row.text(1)
    session = try row.text(2)
    provider = try row.text(3)
    authTime = try row.integer(4)
    guard let state = State(rawValue: try row.text(5)) else { throw .unreadableRow }
    self.state = state
    claims = row[6]
    factor = row[7]
    factorID = row[8]
    generation = try row.integer(9)
    endedAt = row[10]
    signedInAt = row[11]
  }
}

extension Row {
  /// Returns the text of a column that must not be null. GRDB would stop the process for a null.
  func text(_ column: Int) throws(AuthError) -> String {
    guard let text = self[column] as String? else { throw .unreadableRow }
    return text
  }

  /// Returns the integer of a column that must not be null.
  func integer(_ column: Int) throws(AuthError) -> Int64 {
    guard let integer = self[column] as Int64? else { throw .unreadableRow }
    return integer
  }

  /// Returns the Boolean value of a column that must not be null.
  func flag(_ column: Int) throws(AuthError) -> Bool { try integer(column) != 0 }
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
    _ sql: String, _ arguments: StatementArguments, _ read: (Row) throws -> Value
  ) throws -> Value? {
    let statement = try cachedStatement(sql: sql)
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    guard let row = try rows.next() else { return nil }
    let value = try read(row)
    // Read all rows: an unfinished statement keeps its snapshot.
    while try rows.next() != nil {}
    return value
  }
}
