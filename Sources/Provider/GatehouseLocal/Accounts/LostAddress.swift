import GRDB

/// An account that lost its address when Gatehouse began to take all spellings of an address for one.
///
/// The account keeps its identifier, password, profile and sessions. Its user cannot sign in by an address until the
/// account gets one: while a session lasts, an `Update` of the address does that. The entry goes then, or with the
/// account.
public struct LostAddress: Sendable {
  /// The account that lost the address.
  public let uid: String
  /// The address as it was stored before.
  public let email: String
  /// The account that got the address, because it is the older one; `nil` if the address is not valid any more.
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
