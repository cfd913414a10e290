import GRDB
import GatehouseBase
import GatehouseSystem

/// The copying of an open provider into one file.
struct BackupMaker: ProviderPart {
  let store: ProviderStore

  func backup(to file: String, replacing: Bool) throws(AuthError) -> ProviderBackup {
    guard !file.isEmpty, !file.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "a backup needs a file's path, which cannot be empty or hold a NUL")
    }
    try BackupTarget(file).check(outside: store.home)
    let status = try attempting("examine \(file)") { () throws(SystemError) in try FileStatus.at(file) }
    guard replacing || status == nil else { throw isThere(file) }
    // If a key is removed meanwhile, its file is deleted; the next copy then no longer names that key.
    var (database, rows, accounts, time) = try copied()
    var archived = try? archivedKeys(rows)
    if archived == nil {
      (database, rows, accounts, time) = try copied()
      archived = try archivedKeys(rows)
    }
    let keys = archived ?? []
    let archive = try ProviderArchive(database: database, keys: keys).written(at: time.seconds)
    guard archive.count <= ProviderArchive.limit else { throw tooLong }
    var event = AuditEvent.given(.providerBackedUp, accounts, at: time)
    event.includesPasswordHashes()
    try audit.record(event, at: time)
    do throws(SystemError) { try AtomicFile.write(archive, to: file, replacing: replacing) } catch {
      // Another program created the file meanwhile.
      if error.number == .exists { throw isThere(file) }
      throw AuthError(.providerUnavailable, "cannot write \(file): \(error)")
    }
    return ProviderBackup(accounts: accounts, keys: keys.count, bytes: archive.count)
  }

  private func archivedKeys(_ rows: [StoredKey]) throws(AuthError) -> [ProviderArchive.Key] {
    var keys: [ProviderArchive.Key] = []
    for row in rows.present {
      _ = try row.read(in: store.home)
      keys.append(ProviderArchive.Key(keyID: row.keyID, pem: try store.home.keyBytes(row.keyID)))
    }
    return keys
  }

  /// Returns the database, byte for byte, with its key rows, its number of accounts and the time, all of one moment.
  private func copied() throws(AuthError) -> ([UInt8], [StoredKey], Int, Moment) {
    let folder = try store.home.opened()
    let name = "copy-" + SystemRandomSource().identifier()
    let file = try attempting("make \(folder.path(of: name))") { () throws(SystemError) in
      try folder.open(name, .making())
    }
    defer { try? folder.remove(name) }
    let (rows, accounts, time) = try database.copy(to: file, named: name, in: folder) { db in
      try (StoredKey.all(in: db), StoredAccount.fetchCount(db), now())
    }
    guard
      let bytes = try attempting(
        "read \(file.path)", { () throws(SystemError) in try file.readAll(limit: ProviderArchive.limit) })
    else { throw tooLong }
    return (bytes, rows, accounts, time)
  }

  private func isThere(_ file: String) -> AuthError {
    AuthError(.invalidArgument, "\(file) is there already, and was not replaced; name another file")
  }

  private var tooLong: AuthError {
    AuthError(
      .providerUnavailable,
      "the provider has more than \(ProviderArchive.limit >> 20) MiB, which a backup cannot hold; "
        + "close it and copy its folder")
  }
}
