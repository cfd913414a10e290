import GRDB

/// The data that is removed over time, and its age limits.
enum Pruning {
  /// The time for which a spent or revoked refresh token is kept, in seconds. Until then its owner learns that the
  /// session has ended, and a thief's use of a spent token ends the session.
  static let tokenMemory: Int64 = 30 * 86400
  /// The time for which an expired code is kept, in seconds.
  static let codeMemory: Int64 = 7 * 86400
  /// The maximum window of a throttle, in seconds.
  static let attemptMemory: Int64 = 86400

  /// Returns statements without their last argument, the maximum number of rows to change.
  static func steps(at now: Moment) -> [(sql: String, arguments: StatementArguments)] {
    [
      // A revocation is one statement over a whole account, and does not record a time.
      (
        """
        UPDATE refreshToken SET endedAt = ? WHERE hash IN
          (SELECT hash FROM refreshToken WHERE endedAt IS NULL AND state != 'valid' LIMIT ?)
        """, [now.seconds]
      ),
      (removing("refreshToken", "endedAt < ?"), [now.seconds - tokenMemory]),
      (removing("actionCode", "expires < ?"), [now.seconds - codeMemory]),
      (removing("pendingFactor", "expires <= ?"), [now.seconds]),
      (removing("phoneCode", "expires <= ?"), [now.seconds]),
      (removing("pendingSignIn", "expires <= ?"), [now.seconds]),
      (removing("knownDevice", "usedAt < ?"), [now.seconds - KnownDevice.memory]),
      (
        "DELETE FROM attempt WHERE (kind, subject) IN (SELECT kind, subject FROM attempt WHERE since <= ? LIMIT ?)",
        [now.seconds - attemptMemory]
      ),
    ]
  }

  private static func removing(_ table: String, _ condition: String) -> String {
    "DELETE FROM \(table) WHERE hash IN (SELECT hash FROM \(table) WHERE \(condition) LIMIT ?)"
  }

  /// Returns the time at which a process last pruned, in seconds since 1970; if none has, the time at which the home's
  /// first key was made.
  static func last(in db: Database) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT at FROM upkeep WHERE task = 'prune'")
      ?? Int64.fetchOne(db, sql: "SELECT min(createdAt) / 1000 FROM signingKey")
  }
}
