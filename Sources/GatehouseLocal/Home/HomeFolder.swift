import Foundation
import GatehouseBase
import GatehouseCrypto
import Glibc

/// The folder that holds everything an embedded provider knows.
///
/// ```
/// accounts.sqlite   accounts, sessions, which keys there are      0600, as its -wal and -shm
/// keys/KID.pem      one private key                               0600
/// opening.lock      held while a process opens the home
/// ```
/// The folder is ours alone: whoever can write to it could put a key of theirs in it, and whoever owns it can write.
struct HomeFolder: Sendable {
  let path: String

  var accounts: String { path + "/accounts.sqlite" }
  var keys: String { path + "/keys" }
  private var openingLock: String { path + "/opening.lock" }

  init(path: String) throws(AuthError) {
    // The kernel would see only what stands before a NUL.
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "the provider's directory must be a path, and cannot be empty or hold a NUL")
    }
    // With a slash behind it, the kernel would follow a symbolic link.
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = String(path)
  }

  /// Runs the work with the home made and examined, and with nobody else opening it.
  func opened<Result>(_ work: () throws(AuthError) -> Result) throws(AuthError) -> Result {
    try makeFolders(upTo: path)
    try requireSafeFolder(path)
    return try HomeFile(openingOrMaking: openingLock).locked { () throws(AuthError) in
      try makeFolder(keys)
      try requireSafeFolder(keys)
      return try work()
    }
  }

  /// Makes an empty file for the database unless one is there, so that SQLite gives no permissions to others.
  ///
  /// One that is there is examined and never opened: closing it would release the locks that SQLite holds on it for
  /// another backend of this process.
  func makeAccountsFile() throws(AuthError) {
    guard let status = try FileStatus(at: accounts) else { return _ = try HomeFile(making: accounts) }
    guard status.isFile else { throw AuthError(.providerUnsafe, "\(accounts) is a link or a folder, and not a file") }
    try status.requireOurs(accounts)
    try status.requireClosed(accounts, to: 0o077, advice: "chmod 600")
  }

  /// Whether the database was ever written: an empty file is what a crash at the first start leaves.
  func hasAccounts() throws(AuthError) -> Bool { (try FileStatus(at: accounts)?.size ?? 0) > 0 }

  /// Whether there is a key.
  func hasKeys() throws(AuthError) -> Bool {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: keys).contains { $0.hasSuffix(".pem") }
    } catch {
      throw AuthError(.providerUnavailable, "cannot list \(keys): \(error.localizedDescription)")
    }
  }

  /// The private key of this name.
  func readKey(_ keyID: String) throws(AuthError) -> PrivateKey {
    let path = keyPath(keyID)
    guard try FileStatus(at: path) != nil else {
      throw AuthError(.providerDamaged, "\(path) is missing; restore it from a copy")
    }
    let file = try HomeFile(reading: path)
    let status = try file.status()
    guard status.isFile else { throw AuthError(.providerUnsafe, "\(path) is not a file") }
    try status.requireOurs(path)
    try status.requireClosed(path, to: 0o077, advice: "chmod 600")
    let pem = Secret(String(decoding: try file.contents(atMost: 65536), as: UTF8.self))
    do throws(AuthError) {
      return try PrivateKey(pem: pem)
    } catch {
      throw AuthError(
        .providerDamaged, "\(path) does not hold a private key (\(error.message)); restore it from a copy")
    }
  }

  /// Stores a private key. What has its name is the whole of it at any moment, and on the disk when this returns.
  func writeKey(_ keyID: String, _ key: PrivateKey) throws(AuthError) {
    let path = keyPath(keyID)
    let unfinished = path + ".unfinished"
    do throws(AuthError) {
      let file = try HomeFile(making: unfinished)
      try file.append(Array(try key.pem().revealed.utf8))
      try file.synchronize()
      guard Kernel.rename(unfinished, to: path) == 0 else { throw KernelError.latest.refusal("make \(path)") }
      try HomeFile(reading: keys).synchronize()
    } catch {
      _ = Kernel.remove(unfinished)
      throw error
    }
  }

  /// A key's name is its thumbprint in base64url, and so a file's name as well.
  private func keyPath(_ keyID: String) -> String { "\(keys)/\(keyID).pem" }

  private func makeFolders(upTo path: String) throws(AuthError) {
    if try FileStatus(at: path) != nil { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeFolders(upTo: String(path[..<slash])) }
    try makeFolder(path)
  }

  private func makeFolder(_ path: String) throws(AuthError) {
    guard Kernel.makeFolder(path) == 0 || errno == EEXIST else { throw KernelError.latest.refusal("make \(path)") }
  }

  private func requireSafeFolder(_ path: String) throws(AuthError) {
    guard let status = try FileStatus(at: path) else {
      throw AuthError(.providerUnavailable, "\(path) was removed while it was being opened")
    }
    if status.isLink { throw AuthError(.providerUnsafe, "\(path) is a symbolic link; name the folder itself") }
    guard status.isFolder else { throw AuthError(.providerUnsafe, "\(path) is not a folder") }
    try status.requireOurs(path)
    try status.requireClosed(path, to: 0o022, advice: "chmod 700")
  }
}
