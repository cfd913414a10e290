import Foundation
import GRDB
import GatehouseBase

/// Puts the provider of a backup in a folder: builds it beside, checks it, and swaps the two in one step.
struct Restoration: Sendable {
  let file: String
  let home: HomeFolder
  /// How long to wait for a process that opens the folder, in seconds.
  let patience: Double
  /// For tests: called as soon as the two folders have changed places.
  let swapped: @Sendable () -> Void

  func run(replacing: Bool) throws(AuthError) -> RestoredProvider {
    let archive = try ProviderArchive(bytes(), from: file)
    let isTaken = try isTaken()
    guard replacing || !isTaken else { throw exists }
    removeHalfBuilt()
    let built = try HomeFolder(path: home.path + Self.building + SystemRandomSource().identifier())
    try built.makeFolders(upTo: built.path)
    do throws(AuthError) {
      // Held until the end: this is how another restore knows that the folder is being built.
      let lock = try built.lockedForReplacing(patience: patience)
      defer { lock.unlock() }
      try write(archive, to: built)
      let accounts = try checked(built)
      let replaced = isTaken ? try swap(built) : nil
      if !isTaken { try move(built) }
      return RestoredProvider(accounts: accounts, keys: archive.keys.count, replaced: replaced)
    } catch {
      // What failed did so before the folders were swapped: this is what was built.
      try? FileManager.default.removeItem(atPath: built.path)
      throw error
    }
  }

  private func bytes() throws(AuthError) -> [UInt8] {
    guard !file.isEmpty, !file.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "a backup is a file's path, which cannot be empty or hold a NUL")
    }
    let opened = try HomeFile(readingNamed: file)
    try opened.requirePlain()
    guard try opened.status().size <= ProviderArchive.limit else {
      throw AuthError(.backupInvalid, "\(file) is longer than a backup can be, \(ProviderArchive.limit >> 20) MiB")
    }
    return try opened.contents(atMost: ProviderArchive.limit)
  }

  /// Whether anything is in the folder.
  private func isTaken() throws(AuthError) -> Bool {
    guard let status = try FileStatus(at: home.path) else { return false }
    guard status.isFolder else {
      throw AuthError(.providerUnsafe, "\(home.path) is not a folder; move it away or name another one")
    }
    do { return try !FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty } catch {
      throw AuthError(.providerUnavailable, "cannot list \(home.path): \(error.localizedDescription)")
    }
  }

  private var exists: AuthError {
    AuthError(.providerExists, "\(home.path) has a provider already, and was not replaced")
  }

  private func write(_ archive: ProviderArchive, to built: HomeFolder) throws(AuthError) {
    try HomeFile.write(archive.database, to: built.accounts)
    try built.makeFolders(upTo: built.keys)
    for key in archive.keys { try HomeFile.write(key.pem, to: built.keyPath(key.keyID)) }
  }

  /// Opens what was built as a provider would, and closes it again.
  ///
  /// - Returns: how many accounts it has.
  private func checked(_ built: HomeFolder) throws(AuthError) -> Int {
    do throws(AuthError) {
      let database = try AccountDatabase(
        path: built.accounts, refusalOfEmpty: AccountDatabase.damaged(built.accounts, "has no tables"), pragmas: [])
      try database.requireIntegrity()
      let (rows, accounts) = try database.read { db in try (StoredKey.all(in: db), StoredAccount.fetchCount(db)) }
      try built.settleKeys(named: rows)
      for row in rows { _ = try row.read(in: built) }
      try database.close()
      try HomeFile.synchronizeFolder(of: built.accounts)
      return accounts
    } catch {
      let code = error.code == .providerDamaged ? .backupInvalid : error.code
      throw AuthError(code, "\(file) was not restored: \(error.message)")
    }
  }

  /// Puts the new folder where none is, or an empty one.
  private func move(_ built: HomeFolder) throws(AuthError) {
    guard Kernel.rename(built.path, to: home.path) == 0 else {
      let error = KernelError.latest
      // A process made a provider there meanwhile.
      throw error.isFolderThere ? exists : error.refusal("make \(home.path)")
    }
    try HomeFile.synchronizeFolder(of: home.path)
  }

  /// Puts the new folder in the old one's place, and keeps the old one.
  ///
  /// - Returns: where the old one is now.
  private func swap(_ built: HomeFolder) throws(AuthError) -> String {
    let lock = try home.lockedForReplacing(patience: patience)
    defer { lock.unlock() }
    let use = try home.requireUnused()
    defer { use.unlock() }
    let aside = try named(built)
    // In this one step the new provider has its place, and the old one the name that it keeps.
    guard Kernel.exchange(aside, home.path) == 0 else {
      let error = KernelError.latest
      try? FileManager.default.removeItem(atPath: aside)
      throw error.refusal("swap \(home.path) in one step; move it away and restore without replacing")
    }
    swapped()
    // The new provider is in its place: nothing from here on may throw.
    try? HomeFile.synchronizeFolder(of: home.path)
    return aside
  }

  /// Gives the new folder the name that the old one is to have.
  private func named(_ built: HomeFolder) throws(AuthError) -> String {
    for number in 1...9999 {
      let name = "\(home.path).replaced-\(number)"
      if try HomeFile.isThere(name) { continue }
      if Kernel.rename(built.path, to: name) == 0 { return name }
      // Another restore took the name meanwhile.
      let error = KernelError.latest
      guard error.isFolderThere else { throw error.refusal("make \(name)") }
    }
    throw AuthError(.providerUnavailable, "\(home.path).replaced-1 to -9999 are all there; remove some")
  }

  private static let building = ".building-"

  /// Removes what a restore that was killed had begun to build. One that is building now holds its folder's lock.
  private func removeHalfBuilt() {
    let folder = HomeFile.folder(of: home.path)
    let start = (home.path.split(separator: "/").last ?? "") + Self.building
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(start) {
      let id = name.dropFirst(start.count)
      guard id.utf8.count == 32, id.allSatisfy({ $0.isHexDigit }),
        let left = try? HomeFolder(path: "\(folder)/\(name)"), let lock = try? left.lockedForReplacing(patience: 0)
      else { continue }
      try? FileManager.default.removeItem(atPath: left.path)
      lock.unlock()
    }
  }
}
