import GRDB
import GatehouseBase

// Anyone can sign in to an emulator as any user. Such a session would go on in a provider that opened the same home
// later, so each of the two kinds has homes of its own.
extension Provider {
  /// Refuses an emulator's home to a provider, and any other home to an emulator. Returns whether the home is an
  /// emulator's.
  ///
  /// - Parameter isNew: whether no provider has ever used the home. If so, it becomes an emulator's if this is one.
  static func kind(
    of home: HomeFolder, in database: AccountDatabase, isNew: Bool, _ options: LocalOptions
  ) throws(AuthError) -> Bool {
    if isNew, options.isEmulator {
      try database.write { db in try db.execute(sql: "INSERT OR IGNORE INTO emulator (mark) VALUES (1)") }
      return true
    }
    let isEmulators = try database.read { db in
      try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM emulator)") ?? false
    }
    guard !options.opensAnyHome, isEmulators != options.isEmulator else { return isEmulators }
    let reason =
      isEmulators
      ? "\(home.path) is an emulator's, where anyone could sign in as any user"
      : "\(home.path) is not an emulator's, and an emulator lets anyone sign in as any user"
    throw AuthError(.providerUnsafe, "\(reason); use another folder")
  }
}
