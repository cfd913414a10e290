import GatehouseBase
import Glibc

/// The folder that holds everything an embedded provider knows. `Docs/provider.md` describes it for its owner.
///
/// ```
/// accounts.sqlite       accounts, sessions, which keys there are      0600, as its -wal and -shm
/// keys/KID.pem          one private key, which the database names     0600
/// keys/KID.pem.unfinished  a new key, until the database names it     0600
/// opening.lock          held while a process opens the home
/// in-use.lock           held, by all of them, while processes have the home open
/// ```
/// The folder is ours alone: whoever can write to it could put a key of theirs in it, and whoever owns it can write.
struct HomeFolder: Sendable {
  let path: String

  var accounts: String { path + "/accounts.sqlite" }
  var keys: String { path + "/keys" }
  private var openingLock: String { path + "/opening.lock" }
  private var useLock: String { path + "/in-use.lock" }

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

  /// Examines the folder, and keeps every other process from opening it until the file is unlocked.
  ///
  /// - Parameter mayBeNew: whether to make a folder that is missing; otherwise one without a provider is refused, and
  ///   nothing is made in it.
  func lockedForOpening(mayBeNew: Bool, patience: Double) throws(AuthError) -> HomeFile {
    if mayBeNew { try makeFolders(upTo: path) } else { try requireProvider() }
    try requireSafeFolder(path)
    let file = try locked(patience: patience)
    // A restore may have replaced the folder meanwhile, and a file system may have come or gone.
    if !mayBeNew { try requireProvider() }
    if try HomeFile.isThere(keys) { try requireSafeFolder(keys) }
    return file
  }

  /// Refuses a folder that has neither accounts nor a key.
  private func requireProvider() throws(AuthError) {
    guard try HomeFile.isThere(path) else { throw noProvider }
    try requireSafeFolder(path)
    if try hasAccounts() { return }
    if try HomeFile.isThere(keys) {
      try requireSafeFolder(keys)
      if try !keyIDs().isEmpty { return }
    }
    throw noProvider
  }

  /// The refusal of a folder where a provider was to be, and is none.
  var noProvider: AuthError {
    AuthError(
      .providerUnavailable,
      "\(path) has no identity provider; mount its file system if it has one, or sign up to begin a new provider")
  }

  /// As `lockedForOpening`, for a folder whose content may be anything.
  func lockedForReplacing(patience: Double) throws(AuthError) -> HomeFile {
    try requireSafeFolder(path)
    return try locked(patience: patience)
  }

  /// The opening lock. A restore may replace the folder while we wait: then the lock that we got is the old folder's.
  private func locked(patience: Double) throws(AuthError) -> HomeFile {
    while true {
      let file = try HomeFile(openingOrMaking: openingLock)
      try file.requirePlain()
      try file.lock(.exclusive, patience: patience)
      if let now = try FileStatus(at: openingLock), now.isSame(as: try file.status()) { return file }
    }
  }

  /// Says that this process has the home open, for as long as the file is.
  func markedInUse(patience: Double) throws(AuthError) -> HomeFile {
    let file = try HomeFile(openingOrMaking: useLock)
    try file.requirePlain()
    try file.lock(.shared, patience: patience)
    return file
  }

  /// Refuses a home that a process has open, this one included. With the opening lock held none can open it later.
  func requireUnused() throws(AuthError) -> HomeFile {
    let file = try HomeFile(openingOrMaking: useLock)
    try file.requirePlain()
    guard try file.tryLock(.exclusive) else {
      let holder = try LockHolder.name(of: file.status())
      throw AuthError(.providerUnavailable, "\(holder) has \(path) open; end it, then try again")
    }
    return file
  }

  /// Refuses files of the database that are not plain files of ours alone.
  ///
  /// They are never opened here: closing one would release the locks that SQLite holds on it for another backend of
  /// this process.
  func requireSafeAccounts() throws(AuthError) {
    for name in ["", "-wal", "-shm", "-journal"].map({ accounts + $0 }) {
      guard let status = try FileStatus(at: name) else { continue }
      guard status.isFile else { throw AuthError(.providerUnsafe, "\(name) is not a plain file") }
      try status.requireOurs(name)
      try status.requireClosed(name, to: 0o077, advice: "chmod 600")
    }
  }

  /// Makes an empty file for the database unless one is there, so that SQLite gives no permissions to others.
  func makeAccountsFile() throws(AuthError) {
    if try FileStatus(at: accounts) == nil { _ = try HomeFile(making: accounts) }
  }

  /// Whether the database was ever written: an empty file is what a crash at the first start leaves.
  func hasAccounts() throws(AuthError) -> Bool { (try FileStatus(at: accounts)?.size ?? 0) > 0 }

  /// Makes the folder for us alone, and those above it that are missing.
  func makeFolders(upTo path: String) throws(AuthError) {
    if try FileStatus(at: path) != nil { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeFolders(upTo: String(path[..<slash])) }
    try makeFolder(path)
  }

  func makeFolder(_ path: String) throws(AuthError) {
    guard Kernel.makeFolder(path) == 0 || errno == EEXIST else { throw KernelError.latest.refusal("make \(path)") }
  }

  func requireSafeFolder(_ path: String) throws(AuthError) {
    guard let status = try FileStatus(at: path) else {
      throw AuthError(.providerUnavailable, "\(path) was removed while it was being opened")
    }
    if status.isLink { throw AuthError(.providerUnsafe, "\(path) is a symbolic link; name the folder itself") }
    guard status.isFolder else { throw AuthError(.providerUnsafe, "\(path) is not a folder") }
    try status.requireOurs(path)
    try status.requireClosed(path, to: 0o022, advice: "chmod 700")
  }
}
