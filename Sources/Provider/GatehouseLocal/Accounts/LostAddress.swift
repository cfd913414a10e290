import GRDB

/// An account that lost its address when Gatehouse began to treat all spellings of an address as the same.
///
/// The account keeps its identifier, password, profile and sessions. Its user cannot sign in with an address until the
/// account gets a new one, through an `Update` of the address in an existing session. The entry is deleted then, or
/// together with the account.
public struct LostAddress: Sendable {
  /// The account that lost the address.
  public let uid: String
  /// The address as it was stored before.
  public let email: String
  /// The older account, which got the address; `nil` if the address is not valid any more.
  public let keptBy: String?

  static func all(in db: Database) throws -> [LostAddress] {
    try Row.fetchAll(db, sql: "SELECT uid, email, keptBy FROM lostAddress ORDER BY uid").map {
      LostAddress(uid: $0["uid"], email: $0["email"], keptBy: $0["keptBy"])
    }
  }

  static func count(in db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM lostAddress") ?? 0
  }
}
