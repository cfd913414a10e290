import Foundation
import GRDB
import GatehouseBase

/// Puts the provider of a backup in a folder: builds it beside, checks it, and swaps the two in one step.
struct Restoration: Sendable {
  let file: String
  let home: HomeFolder
  /// How long to wait for a process that opens the folder, in seconds.
  let patience: Double

  func run(replacing: Bool) throws(AuthError) -> RestoredProvider {
    let archive = try ProviderArchive(bytes(), from: file)
    let isTaken = try isTaken()
    guard replacing || !isTaken else { throw exists }
    let built = try HomeFolder(path: home.path + ".restoring-" + SystemRandomSource().identifier())
    try built.makeFolders(upTo: built.path)
    do throws(AuthError) {
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
      let database = try AccountDatabase(path: built.accounts, mayBeNew: false, pragmas: [])
      try database.requireIntegrity()
      let (rows, accounts) = try database.read { db in try (StoredKey.all(in: db), StoredAccount.fetchCount(db)) }
      try built.settleKeys(named: rows.map(\.keyID))
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
    guard Kernel.exchange(built.path, home.path) == 0 else {
      throw KernelError.latest.refusal("swap \(home.path) in one step; move it away and restore without replacing")
    }
    // The old provider now has the name of the new one: nothing from here on may throw.
    var aside = built.path
    for number in 1...9999 where aside == built.path {
      let name = "\(home.path).replaced-\(number)"
      if (try? HomeFile.isThere(name)) == false, Kernel.rename(built.path, to: name) == 0 { aside = name }
    }
    try? HomeFile.synchronizeFolder(of: home.path)
    return aside
  }
}
