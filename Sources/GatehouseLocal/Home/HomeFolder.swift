import GatehouseBase
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
    let lock = try HomeFile(openingOrMaking: openingLock)
    try lock.lock()
    try makeFolder(keys)
    try requireSafeFolder(keys)
    return try work()
  }

  /// Makes an empty file for the database unless one is there, so that SQLite gives no permissions to others.
  func makeAccountsFile() throws(AuthError) {
    let file = try HomeFile(openingOrMaking: accounts)
    let status = try file.status()
    guard status.isFile else { throw AuthError(.providerDamaged, "\(accounts) is not a file") }
    try status.requireOurs(accounts)
    try status.requireClosed(accounts, to: 0o077, advice: "chmod 600")
  }

  /// Whether the database was ever written: an empty file is what a crash at the first start leaves.
  func hasAccounts() throws(AuthError) -> Bool { (try FileStatus(at: accounts)?.size ?? 0) > 0 }

  private func makeFolders(upTo path: String) throws(AuthError) {
    if try FileStatus(at: path) != nil { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeFolders(upTo: String(path[..<slash])) }
    try makeFolder(path)
  }

  private func makeFolder(_ path: String) throws(AuthError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw KernelError.latest.refusal("make \(path)") }
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
