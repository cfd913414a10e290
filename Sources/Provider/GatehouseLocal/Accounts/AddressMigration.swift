import GRDB
import GatehouseBase

/// Converts each stored address to the form of `EmailAddress`, in the transaction of its caller.
///
///     the address, in its form,     then the account
///     no other account has          gets it
///     other accounts have as well   gets it if it is the oldest of them, otherwise it loses its address
///     is not valid any more         loses its address
///
/// A lost address stays in the table `lostAddress` until its account has another address.
struct AddressMigration {
  let db: Database

  static func run(in db: Database) throws {
    let migration = AddressMigration(db: db)
    try db.execute(sql: table)
    try migration.moveAccounts()
    try migration.moveFailures()
    try db.execute(sql: triggers)
  }

  private func moveAccounts() throws {
    let moved = try Owner.all(in: db) { stored(of: $0)?.isExactly($0) != true }
    for owner in moved {
      guard let email = stored(of: owner.email) else {
        try lose(owner, to: nil)
        continue
      }
      // Older accounts among those to be moved were already moved. A younger holder already had this very form before.
      if let holder = try Owner.find(email, in: db) {
        guard owner.isOlder(than: holder) else {
          try lose(owner, to: holder)
          continue
        }
        try lose(holder, to: owner)
      }
      try setEmail(email, of: owner)
    }
  }

  private func lose(_ owner: Owner, to keeper: Owner?) throws {
    try db.execute(
      sql: "UPDATE account SET email = NULL, emailVerified = 0 WHERE uid = ?", arguments: [owner.uid])
    try db.execute(
      sql: "INSERT INTO lostAddress (uid, email, keptBy) VALUES (?, ?, ?)",
      arguments: [owner.uid, owner.email, keeper?.uid])
  }

  private func setEmail(_ email: String?, of owner: Owner) throws {
    try db.execute(sql: "UPDATE account SET email = ? WHERE uid = ?", arguments: [email, owner.uid])
  }

  /// Adds up the failures of several spellings. They count for as long as the latest of them did.
  private func moveFailures() throws {
    for row in try Row.fetchAll(db, sql: "SELECT email, count, since FROM failedSignIns") {
      let (given, count, since): (String, Int64, Int64) = (row["email"], row["count"], row["since"])
      let email = stored(of: given)
      if let email, email.isExactly(given) { continue }
      try db.execute(sql: "DELETE FROM failedSignIns WHERE email = ?", arguments: [given])
      guard let email else { continue }
      try db.execute(
        sql: """
          INSERT INTO failedSignIns (email, count, since) VALUES (?, ?, ?)
          ON CONFLICT (email) DO UPDATE SET count = count + excluded.count, since = max(since, excluded.since)
          """, arguments: [email, count, since])
    }
  }

  private func stored(of given: String) -> String? { try? EmailAddress(given).text }

  private static let table = """
    CREATE TABLE lostAddress (
      uid    TEXT NOT NULL PRIMARY KEY,  -- of an account that has no address now
      email  TEXT NOT NULL,              -- the address as it was stored before
      keptBy TEXT                        -- uid of the account that got it; NULL if the address is not valid any more
    ) STRICT, WITHOUT ROWID;
    """

  private static let triggers = """
    CREATE TRIGGER lostAddressReplaced AFTER UPDATE OF email ON account WHEN NEW.email IS NOT NULL
    BEGIN DELETE FROM lostAddress WHERE uid = NEW.uid; END;
    CREATE TRIGGER lostAddressDeleted AFTER DELETE ON account
    BEGIN DELETE FROM lostAddress WHERE uid = OLD.uid; END;
    """
}

/// An account with an address, before the migration.
private struct Owner {
  let uid: String
  let email: String
  /// The creation time, in milliseconds since 1970.
  let createdAt: Int64

  private init(_ row: Row) {
    uid = row["uid"]
    email = row["email"]
    createdAt = row["createdAt"]
  }

  /// Returns the accounts whose address meets a condition, oldest first.
  static func all(in db: Database, where isWanted: (String) -> Bool) throws -> [Owner] {
    var found: [Owner] = []
    let rows = try Row.fetchCursor(
      db, sql: "SELECT uid, email, createdAt FROM account WHERE email IS NOT NULL ORDER BY createdAt, uid")
    while let row = try rows.next() {
      if isWanted(row["email"]) { found.append(Owner(row)) }
    }
    return found
  }

  static func find(_ email: String, in db: Database) throws -> Owner? {
    try Row.fetchOne(db, sql: "SELECT uid, email, createdAt FROM account WHERE email = ?", arguments: [email])
      .map(Owner.init)
  }

  /// Compares by creation time and then by identifier, the order of `all`.
  func isOlder(than other: Owner) -> Bool {
    if createdAt != other.createdAt { return createdAt < other.createdAt }
    return uid.utf8.lexicographicallyPrecedes(other.uid.utf8)
  }
}
