import GRDB
import GatehouseBase

extension Provider {
  func backup(to file: String, replacing: Bool) throws(AuthError) -> ProviderBackup {
    guard !file.isEmpty, !file.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "a backup needs a file's path, which cannot be empty or hold a NUL")
    }
    try BackupTarget(file).check(outside: home)
    let isTaken = try HomeFile.isThere(file)
    guard replacing || !isTaken else {
      throw AuthError(.invalidArgument, "\(file) is there already, and was not replaced; name another file")
    }
    let (database, rows, accounts, time) = try copied()
    // After the database: a key that it names has its file for as long as the provider lives.
    var keys: [ProviderArchive.Key] = []
    for row in rows {
      _ = try row.read(in: home)
      keys.append(ProviderArchive.Key(keyID: row.keyID, pem: try home.keyBytes(row.keyID)))
    }
    let archive = try ProviderArchive(database: database, keys: keys).written(at: time.seconds)
    guard archive.count <= ProviderArchive.limit else { throw tooLong }
    try HomeFile.write(archive, to: file)
    return ProviderBackup(accounts: accounts, keys: keys.count, bytes: archive.count)
  }

  /// The database, byte for byte, with its keys' rows and the number of its accounts, all of one moment; and that
  /// moment.
  private func copied() throws(AuthError) -> ([UInt8], [StoredKey], Int, Moment) {
    let path = home.path + "/copy-" + SystemRandomSource().identifier()
    let file = try HomeFile(making: path)
    defer { _ = Kernel.remove(path) }
    let (rows, accounts, time) = try database.copy(to: path) { db in
      try (StoredKey.all(in: db), StoredAccount.fetchCount(db), now())
    }
    guard try file.status().size <= ProviderArchive.limit else { throw tooLong }
    return (try file.contents(atMost: ProviderArchive.limit), rows, accounts, time)
  }

  private var tooLong: AuthError {
    AuthError(
      .providerUnavailable,
      "the provider has more than \(ProviderArchive.limit >> 20) MiB, which a backup cannot hold; close it and copy its folder"
    )
  }
}
