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
  init(columns row: StatementRow) throws(AuthError) {
    hash = try row.text(0)
    uid = try row.text(1)
    session = try row.text(2)
    provider = try row.text(3)
    authTime = try row.integer(4)
    guard let state = State(rawValue: try row.text(5)) else { throw .unreadableRow }
    self.state = state
    claims = try row[6]
    factor = try row[7]
    factorID = try row[8]
    generation = try row.integer(9)
    endedAt = try row[10]
    signedInAt = try row[11]
  }
}
