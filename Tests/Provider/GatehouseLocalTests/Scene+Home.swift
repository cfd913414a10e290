import Foundation
import GRDB

/// The contents of the provider's home, behind its back.
extension Scene {
  /// The files of the keys.
  var keys: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.home + "/keys") } }

  /// Changes the database behind the provider's back.
  func execute(_ sql: String) throws {
    try database().inDatabase { db in try db.execute(sql: sql) }
  }

  func rows(_ sql: String) throws -> [[String?]] {
    try database().read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { String.fromDatabaseValue($0) ?? Int64.fromDatabaseValue($0).map(String.init) }
      }
    }
  }

  private func database() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    return try DatabaseQueue(path: folder.home + "/accounts.sqlite", configuration: configuration)
  }
}
