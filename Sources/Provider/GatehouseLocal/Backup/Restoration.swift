import GRDB
package import GatehouseBase
import GatehouseSystem

/// Restores the provider of a backup to a folder: builds it next to the folder, checks it, and swaps the two
/// atomically.
package struct Restoration: Sendable {
  let file: String
  let home: HomeFolder
  /// The maximum time to wait for a process that opens the folder, in seconds.
  let patience: Double
  /// Called as soon as the two folders are swapped. For tests.
  let swapped: @Sendable () -> Void

  package init(
    file: String, home: HomeFolder, patience: Double, swapped: @escaping @Sendable () -> Void = {}
  ) {
    self.file = file
    self.home = home
    self.patience = patience
    self.swapped = swapped
  }

  package func run(replacing: Bool) throws(AuthError) -> RestoredProvider {
    let archive = try ProviderArchive(bytes(), from: file)
    let isTaken = try isTaken()
    guard replacing || !isTaken else { throw exists }
    let location = FileLocation(home.path)
    guard !location.name.isEmpty else {
      throw AuthError(.invalidArgument, "\(home.path) does not name a folder in another one; write its path out")
    }
    // Missing parent folders are created, accessible only to this user.
    try attempting("make \(location.folder)") { () throws(SystemError) in
      if try FileStatus.at(location.folder, followingLink: true) == nil { try OpenFolder.make(location.folder) }
    }
    let parent = try attempting("open \(location.folder)") { () throws(SystemError) in
      try OpenFolder(location.folder, followingLink: true)
    }
    removeHalfBuilt(beside: location.name, in: parent)
    let name = location.name + Self.building + SystemRandomSource().identifier()
    let built = try HomeFolder(path: parent.path(of: name))
    try built.make()
    do throws(AuthError) {
      // Held until the end, to show another restore that the folder is being built.
      let lock = try built.lockedForReplacing(patience: patience)
      defer { lock.unlock() }
      try write(archive, to: built)
      let accounts = try checked(built)
      let replaced = isTaken ? try swap(name, with: location.name, in: parent) : nil
      if !isTaken { try move(name, to: location.name, in: parent) }
      return RestoredProvider(accounts: accounts, keys: archive.keys.count, replaced: replaced)
    } catch {
      // Errors only occur before the folders are swapped, so this removes the folder that was built.
      try? parent.removeAll(name)
      throw error
    }
  }

  private func bytes() throws(AuthError) -> [UInt8] {
    guard !file.isEmpty, !file.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "a backup is a file's path, which cannot be empty or hold a NUL")
    }
    let bytes = try attempting("read \(file)") { () throws(SystemError) in
      let opened = try OpenFile(file)
      try opened.status().require(.file, at: file)
      return try opened.readAll(limit: ProviderArchive.limit)
    }
    guard let bytes else {
      throw AuthError(.backupInvalid, "\(file) is longer than a backup can be, \(ProviderArchive.limit >> 20) MiB")
    }
    return bytes
  }

  /// Whether the folder contains anything.
  private func isTaken() throws(AuthError) -> Bool {
    try attempting("list \(home.path)") { () throws(SystemError) in
      guard let status = try FileStatus.at(home.path) else { return false }
      try status.require(.folder, at: home.path)
      return try !OpenFolder(home.path).names().isEmpty
    }
  }

  private var exists: AuthError {
    AuthError(.providerExists, "\(home.path) has a provider already, and was not replaced")
  }

  private func write(_ archive: ProviderArchive, to built: HomeFolder) throws(AuthError) {
    let folder = try built.opened()
    try attempting("write \(built.path)") { () throws(SystemError) in
      try folder.make(HomeFolder.accountsName, with: archive.database)
      let keys = try folder.ownOrMade("keys")
      for key in archive.keys { try keys.make(key.keyID + HomeFolder.finished, with: key.pem) }
    }
  }

  /// Opens the built folder like a provider, and closes it again.
  ///
  /// - Returns: The number of accounts.
  private func checked(_ built: HomeFolder) throws(AuthError) -> Int {
    do throws(AuthError) {
      let database = try AccountDatabase(
        path: built.accounts, refusalOfEmpty: AccountDatabase.damaged(built.accounts, "has no tables"), pragmas: [])
      try database.requireIntegrity()
      let (rows, accounts) = try database.read { db in try (StoredKey.all(in: db), StoredAccount.fetchCount(db)) }
      try built.settleKeys(named: rows.present.map(\.keyID), leaving: rows.filter(\.removing).map(\.keyID))
      for row in rows.present { _ = try row.read(in: built) }
      try database.close()
      let folder = try built.opened()
      try attempting("write \(built.path) to the disk") { () throws(SystemError) in try folder.sync() }
      return accounts
    } catch {
      let code = error.code == .providerDamaged ? .backupInvalid : error.code
      throw AuthError(code, "\(file) was not restored: \(error.message)")
    }
  }

  /// Moves the new folder to a path where there is none, or an empty one.
  private func move(_ built: String, to name: String, in parent: borrowing OpenFolder) throws(AuthError) {
    do throws(SystemError) {
      try parent.rename(built, to: name)
      try parent.sync()
    } catch {
      // Another process created a provider there meanwhile.
      if error.isTakenFolder { throw exists }
      throw AuthError(.providerUnavailable, "cannot make \(home.path): \(error)")
    }
  }

  /// Swaps the new folder with the old one, and keeps the old one.
  ///
  /// - Returns: The path of the old folder.
  private func swap(_ built: String, with name: String, in parent: borrowing OpenFolder) throws(AuthError) -> String {
    let lock = try home.lockedForReplacing(patience: patience)
    defer { lock.unlock() }
    let use = try home.requireUnused()
    defer { use.unlock() }
    let aside = try rename(built, asideOf: name, in: parent)
    do throws(SystemError) {
      // This one step moves the new provider to its path, and the old one to the name that it keeps.
      try parent.exchange(aside, with: name)
    } catch {
      try? parent.removeAll(aside)
      throw AuthError(
        .providerUnavailable,
        "cannot swap \(home.path) in one step; move it away and restore without replacing: \(error)")
    }
    swapped()
    // The new provider is now at its path: nothing after this may throw.
    try? parent.sync()
    return parent.path(of: aside)
  }

  /// Renames the new folder to the name that the old one will have after the swap.
  private func rename(
    _ built: String, asideOf name: String, in parent: borrowing OpenFolder
  ) throws(AuthError) -> String {
    for number in 1...9999 {
      let aside = "\(name).replaced-\(number)"
      do throws(SystemError) {
        if try parent.status(of: aside) != nil { continue }
        try parent.rename(built, to: aside)
        return aside
      } catch {
        // If the folder exists, another restore took the name meanwhile.
        guard error.isTakenFolder else {
          throw AuthError(.providerUnavailable, "cannot make \(parent.path(of: aside)): \(error)")
        }
      }
    }
    throw AuthError(.providerUnavailable, "\(home.path).replaced-1 to -9999 are all there; remove some")
  }

  private static let building = ".building-"

  /// Removes the leftovers of a killed restore. A restore in progress holds its folder's lock.
  private func removeHalfBuilt(beside name: String, in parent: borrowing OpenFolder) {
    let start = name + Self.building
    for name in (try? parent.names()) ?? [] where name.hasPrefix(start) {
      let id = name.dropFirst(start.count)
      guard id.utf8.count == 32, id.allSatisfy({ $0.isHexDigit }),
        let left = try? HomeFolder(path: parent.path(of: name)), let lock = try? left.lockedForReplacing(patience: 0)
      else { continue }
      try? parent.removeAll(name)
      lock.unlock()
    }
  }
}

extension SystemError {
  /// Whether a non-empty folder already has the name.
  fileprivate var isTakenFolder: Bool { number == .notEmpty || number == .exists }
}
