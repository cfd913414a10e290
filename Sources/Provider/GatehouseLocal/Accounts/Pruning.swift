import GRDB

/// What is removed, and when.
enum Pruning {
  /// How long a refresh token that was spent or revoked is known, in seconds: until then its owner is told that the
  /// session has ended, and a thief's use of a spent one ends it.
  static let tokenMemory: Int64 = 30 * 86400
  /// How long an expired code is known.
  static let codeMemory: Int64 = 7 * 86400
  /// No throttle has a longer window.
  static let attemptMemory: Int64 = 86400

  /// Statements that lack their last argument: the maximum of rows that they change.
  static func steps(at now: Moment) -> [(sql: String, arguments: StatementArguments)] {
    [
      // A revocation is one statement over a whole account and notes no time.
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

  /// When a process has pruned last, in seconds since 1970; in a home where none has, when its first key was made.
  static func last(in db: Database) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT at FROM upkeep WHERE task = 'prune'")
      ?? Int64.fetchOne(db, sql: "SELECT min(createdAt) / 1000 FROM signingKey")
  }
}
