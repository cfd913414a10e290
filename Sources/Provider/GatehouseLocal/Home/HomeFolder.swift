package import GatehouseBase
package import GatehouseSystem

/// The folder that contains all data of an embedded provider. `Docs/provider.md` describes it for its owner.
///
/// ```
/// accounts.sqlite       accounts, sessions, which keys there are      0600, as its -wal and -shm
/// keys/KID.pem          one private key, which the database names     0600
/// keys/KID.pem.unfinished  a new key, until the database names it     0600
/// opening.lock          held while a process opens the home
/// in-use.lock           held, by all of them, while processes have the home open
/// ```
/// The folder must belong to this user, and other users must not be able to write to it: they could put a key in it.
package struct HomeFolder: Sendable {
  package let path: String

  static let accountsName = "accounts.sqlite"
  var accounts: String { path + "/" + Self.accountsName }
  var keys: String { path + "/keys" }
  private static let openingLock = "opening.lock"
  private static let useLock = "in-use.lock"

  package init(path: String) throws(AuthError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "the provider's directory must be a path, and cannot be empty or hold a NUL")
    }
    // With a trailing slash, the kernel would follow a symbolic link.
    var bytes = path.utf8[...]
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    self.path = String(decoding: bytes, as: UTF8.self)
  }

  /// Examines the folder, and keeps every other process from opening it until the file is unlocked.
  ///
  /// - Parameter mayBeNew: whether to create a missing folder; otherwise a folder without a provider is refused, and
  ///   nothing is created in it.
  package func lockedForOpening(mayBeNew: Bool, patience: Double) throws(AuthError) -> OpenFile {
    if mayBeNew {
      if try status() == nil { try make() }
    } else {
      try requireProvider()
    }
    let file = try locked(patience: patience)
    // A restore may have replaced the folder meanwhile, or a file system may have been mounted or unmounted.
    if !mayBeNew { try requireProvider() }
    _ = try openedKeys()
    return file
  }

  /// Refuses a folder that contains neither accounts nor a key.
  private func requireProvider() throws(AuthError) {
    guard try status() != nil else { throw noProvider }
    _ = try opened()
    if try hasAccounts() { return }
    if try keyIDs().isEmpty { throw noProvider }
  }

  /// The error for a folder without the expected provider.
  var noProvider: AuthError {
    AuthError(
      .providerUnavailable,
      "\(path) has no identity provider; mount its file system if it has one, or sign up to begin a new provider")
  }

  /// Like `lockedForOpening`, for a folder with any contents.
  func lockedForReplacing(patience: Double) throws(AuthError) -> OpenFile { try locked(patience: patience) }

  /// Takes the opening lock. A restore may replace the folder during the wait; then the lock belongs to the old folder.
  private func locked(patience: Double) throws(AuthError) -> OpenFile {
    while true {
      let file = try openedLock(Self.openingLock)
      try lock(file, .exclusive, patience: patience)
      let isNow = try attempting("examine \(file.path)") { () throws(SystemError) in
        let now = try FileStatus.at(path + "/" + Self.openingLock)
        return try now?.isSame(as: file.status()) ?? false
      }
      if isNow { return file }
    }
  }

  /// Marks the home as open in this process, until the value goes.
  func markedInUse(patience: Double) throws(AuthError) -> HeldLock {
    let file = try openedLock(Self.useLock)
    try lock(file, .shared, patience: patience)
    return HeldLock(file)
  }

  /// Refuses a home that any process has open, including this one. While the opening lock is held, no process can open
  /// it.
  func requireUnused() throws(AuthError) -> OpenFile {
    let file = try openedLock(Self.useLock)
    guard try attempting("lock \(file.path)", { () throws(SystemError) in try file.tryLock() }) else {
      throw AuthError(.providerUnavailable, "\(file.lockHolder()) has \(path) open; end it, then try again")
    }
    return file
  }

  private func openedLock(_ name: String) throws(AuthError) -> OpenFile {
    let folder = try opened()
    return try attempting("open \(folder.path(of: name))") { () throws(SystemError) in
      try folder.openOwn(name, .readingOrMaking, .unwritable)
    }
  }

  private func lock(
    _ file: borrowing OpenFile, _ kind: OpenFile.LockKind, patience: Double
  ) throws(AuthError) {
    let isLocked = try attempting("lock \(file.path)") { () throws(SystemError) in
      try file.lock(kind, patience: patience)
    }
    guard !isLocked else { return }
    throw AuthError(
      .providerUnavailable, "\(file.lockHolder()) has held \(file.path) for \(patience) s; end it, or try again")
  }
}

/// A file whose lock is released with this value, also while a program that is just being started has the file open.
struct HeldLock: ~Copyable {
  private let file: OpenFile

  init(_ file: consuming OpenFile) { self.file = file }

  deinit { release() }

  /// Releases the lock before the value goes. Further calls do nothing.
  func release() { file.unlock() }
}

// MARK: The folder and the database's file

extension HomeFolder {
  /// Creates the folder, accessible only to this user, and missing parent folders. They are on the disk when this
  /// returns.
  package func make() throws(AuthError) {
    try attempting("make \(path)") { () throws(SystemError) in try OpenFolder.make(path) }
  }

  /// Opens the folder. Refuses a folder that other users can change.
  func opened() throws(AuthError) -> OpenFolder {
    guard let status = try status() else {
      throw AuthError(.providerUnavailable, "\(path) was removed while it was being opened")
    }
    return try attempting("open \(path)") { () throws(SystemError) in
      try status.require(.folder, .unwritable, at: path)
      return try OpenFolder.own(path)
    }
  }

  private func status() throws(AuthError) -> FileStatus? {
    try attempting("examine \(path)") { () throws(SystemError) in try FileStatus.at(path) }
  }

  /// Refuses database files that are not regular files accessible only to this user.
  ///
  /// They are never opened here, because closing one would release the locks that SQLite holds on it for another
  /// backend of this process.
  func requireSafeAccounts() throws(AuthError) {
    let folder = try opened()
    for name in ["", "-wal", "-shm", "-journal"].map({ Self.accountsName + $0 }) {
      try attempting("examine \(folder.path(of: name))") { () throws(SystemError) in
        try folder.status(of: name)?.require(.file, .secret, at: folder.path(of: name))
      }
    }
  }

  /// Creates an empty file for the database if there is none, so that SQLite does not create it with permissions for
  /// others.
  func makeAccountsFile() throws(AuthError) {
    let folder = try opened()
    try attempting("make \(accounts)") { () throws(SystemError) in
      if try folder.status(of: Self.accountsName) == nil { try folder.make(Self.accountsName, with: []) }
    }
  }

  /// Whether the database was ever written. A crash at the first start leaves an empty file.
  func hasAccounts() throws(AuthError) -> Bool {
    try attempting("examine \(accounts)") { () throws(SystemError) in try FileStatus.at(accounts)?.size ?? 0 > 0 }
  }
}
