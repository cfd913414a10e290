public import Dispatch
public import GatehouseBase
import GatehouseQueues

/// A store that keeps one session, or those of several users, in a file that only its owner can read. Any number of
/// threads and processes may use it at once.
///
/// The folder is created if it is missing (mode 0700); the file has mode 0600. A folder or file that belongs to another
/// user or is a symbolic link, a folder that others can write to, and a file that others can read are refused
/// (`storeUnsafe`); the error names the command that fixes it. A file that cannot be read (`storeUnreadable`), is not
/// what was written (`storeDamaged`) or comes from a later version (`storeTooNew`) is an error, never "nothing stored",
/// and is not deleted. Only a new sign-in (`write(_, if: .always)`) replaces a damaged file, and keeps it as
/// `NAME.damaged-1`, `-2` and so on, the newest three. These copies may hold tokens that are still valid. Erasing the
/// session removes them; `eraseDamaged()` does so if no session can be read.
///
/// A write compares and replaces under a lock (`NAME.lock`; other writers wait for it for three seconds at most), and
/// replaces the file atomically: a crash or power cut leaves either the old session or the new one, complete. When a
/// write returns, the change is on the disk. When it throws `storeFailed`, the old session is still stored, with one
/// exception: if syncing the folder itself fails, either session may be stored.
///
/// Without a `StoreEncryption` the session is not encrypted: a program that can read the disk can read it. With one,
/// the tokens are never in plain on the disk. A file that is encrypted under a key that was not given is an error
/// (`storeUnreadable`) which names the key, and is never replaced or erased, by a sign-in neither. A file that is not
/// encrypted yet is read, and encrypted by the next write; what the disk still has of the old file is not overwritten.
///
/// Files are accessed only on Gatehouse's own threads.
public struct FileCredentialStore: CredentialStore, UserShelf {
  private let file: SessionFile
  /// A disk may block a thread for long, a network disk forever. Such a thread must not be one of Dispatch's or
  /// Swift's.
  private let threads = PoolShare(width: 1)
  private let callbacks: CallbackQueue

  /// Makes a store at a path. No file is accessed before the first call. A relative path is resolved at each call,
  /// against the current folder; one that begins with `~/` is refused (`invalidArgument`).
  ///
  /// - Parameters:
  ///   - path: the path of the session's file, which need not exist.
  ///   - encryption: the key of the file; `nil` for a file that is not encrypted.
  ///   - keepsUsers: whether the session that a sign-in replaces is kept, so that the app can switch back to it. Its
  ///     tokens stay in the file until that user signs out or is forgotten.
  ///   - callbackQueue: the queue on which completions are called, unless they are isolated to an actor.
  public init(
    path: String, encryption: StoreEncryption? = nil, keepsUsers: Bool = false, callbackQueue: DispatchQueue = .main
  ) {
    self.init(path: path, patience: 3, encryption: encryption, keepsUsers: keepsUsers, callbackQueue: callbackQueue)
  }

  /// `patience` is the maximum time to wait for another writer, in seconds.
  package init(
    path: String, patience: Double, encryption: StoreEncryption? = nil, keepsUsers: Bool = false,
    callbackQueue: DispatchQueue = .main
  ) {
    file = SessionFile(path: path, patience: patience, encryption: encryption, keepsUsers: keepsUsers)
    callbacks = CallbackQueue(callbackQueue)
  }

  /// The path as it was given.
  public var path: String { file.path }

  public func load() async throws(AuthError) -> StoredSession? {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.load() }
  }

  public func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.write(session, if: condition) }
  }

  /// This store, if it keeps users.
  public var shelf: (any UserShelf)? { file.keepsUsers ? self : nil }

  public func sessions() async throws(AuthError) -> SessionShelf {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.sessions() }
  }

  public func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.replace(known, by: new) }
  }

  /// Locks `NAME.inuse` beside the file. The lock file is created if it is missing, and stays. The lock ends with the
  /// process at the latest.
  public func lock() async throws(AuthError) -> (any StoreLock)? {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.takeForOne() }
  }

  /// Watches the file's name in its folder, through the kernel. Changes by other processes on this machine are seen at
  /// once, those in a folder that does not exist yet within a second, and those by another machine on a network disk
  /// late or not at all.
  public func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.watch(changed) }
  }
}

extension FileCredentialStore {
  /// Loads the session on a thread of Dispatch's, and blocks the calling thread meanwhile. Unlike `load()`, this needs
  /// no thread of Swift's pool, which may have none that is free.
  ///
  /// - Returns: `nil` if the disk has not answered within `patience`.
  func loadNow(patience: Duration) -> Result<StoredSession?, AuthError>? {
    let loaded = Lock<Result<StoredSession?, AuthError>?>(nil), isRead = WatchedSemaphore(value: 0)
    Self.launches.async { [file] in
      let result: Result<StoredSession?, AuthError>
      do throws(AuthError) { result = .success(try file.load()) } catch { result = .failure(error) }
      loaded.withLock { $0 = result }
      isRead.signal()
    }
    return isRead.wait(timeout: patience) ? loaded.withLock { $0 } : nil
  }

  private static let launches = BackgroundQueue(label: "gatehouse.store.launch", width: 4)

  /// Erases damaged files, in order to sign out when `Auth.signOut()` throws `.storeDamaged`: the session file if it is
  /// damaged, and the damaged files that were kept aside. A readable session is kept.
  ///
  /// The files are gone from the disk when this returns. Throws the errors of a write, and `.storeTooNew` for a file of
  /// a later version, which is not damaged and is kept.
  ///
  /// - Returns: The number of files that were erased.
  @discardableResult
  public func eraseDamaged() async throws -> Int {
    try await onWorkQueue { [file, threads] () throws(AuthError) in
      try await Background.run(on: threads) { () throws(AuthError) in try file.eraseDamaged() }
    }
  }

  /// Erases damaged files.
  ///
  /// - Parameter completion: called with the number of files that were erased.
  public func eraseDamaged(@_inheritActorContext completion: @escaping Completion<Int>) {
    callbacks.deliver(to: completion) { [file, threads] () throws(AuthError) in
      try await Background.run(on: threads) { () throws(AuthError) in try file.eraseDamaged() }
    }
  }
}

extension CredentialStore where Self == FileCredentialStore {
  /// A store in a file; see `FileCredentialStore` for its guarantees.
  public static func file(
    _ path: String, encryption: StoreEncryption? = nil, keepsUsers: Bool = false, callbackQueue: DispatchQueue = .main
  ) -> FileCredentialStore {
    FileCredentialStore(path: path, encryption: encryption, keepsUsers: keepsUsers, callbackQueue: callbackQueue)
  }
}
