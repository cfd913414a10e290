public import Dispatch
public import GatehouseBase
import GatehouseQueues

/// Keeps one session, or those of several users, in a file that only its owner can read, safely for any number of
/// threads and processes.
///
/// The folder is made if it is missing (mode 0700); the file has mode 0600. A folder or file that belongs to another
/// user or is a symbolic link, a folder that others can write to, and a file that they can read are refused
/// (`storeUnsafe`) with what to run. What cannot be read
/// (`storeUnreadable`), is not what was written (`storeDamaged`) or comes from a later version (`storeTooNew`) is an
/// error, never "nothing stored", and is not deleted. Only a new sign-in (`write(_, if: .always)`) replaces a damaged
/// file, and keeps it as `NAME.damaged-1`, `-2` and so on, the newest three. They may hold tokens that are still good:
/// erasing the session removes them, and `eraseDamaged()` does where no session can be read.
///
/// A write compares and replaces under a lock (`NAME.lock`, on which other writers wait, three seconds at most), and
/// replaces the file in one step: a crash or power cut leaves the old session or the new, whole. When it returns, the
/// change is on the disk. When it throws `storeFailed`, the old session is still stored; the one exception is a disk
/// that refuses to store the folder itself, which may then have either.
///
/// The session is not encrypted: a program that reads the disk reads it. Files are touched on threads of Gatehouse
/// only.
public struct FileCredentialStore: CredentialStore, UserShelf {
  private let file: SessionFile
  /// A disk may block a thread for long, a network's for ever: that must be none of Dispatch's or Swift's.
  private let threads = PoolShare(width: 1)
  private let callbacks: CallbackQueue

  /// A store at a path. Nothing is touched before the first call. A relative path is looked up at each call, in the
  /// folder that the program is in then; one that begins with `~/` is refused (`invalidArgument`).
  ///
  /// - Parameters:
  ///   - path: where the session's file is, or will be.
  ///   - keepsUsers: whether the session that a sign-in replaces is kept, to be switched to. Its tokens stay in the
  ///     file until that user signs out or is forgotten.
  ///   - callbackQueue: where completions are called, unless they are isolated to an actor.
  public init(path: String, keepsUsers: Bool = false, callbackQueue: DispatchQueue = .main) {
    self.init(path: path, patience: 3, keepsUsers: keepsUsers, callbackQueue: callbackQueue)
  }

  /// `patience` is how long to wait for another writer, in seconds.
  package init(path: String, patience: Double, keepsUsers: Bool = false, callbackQueue: DispatchQueue = .main) {
    file = SessionFile(path: path, patience: patience, keepsUsers: keepsUsers)
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

  /// Itself, if it keeps users.
  public var shelf: (any UserShelf)? { file.keepsUsers ? self : nil }

  public func others() async throws(AuthError) -> [StoredSession] {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.shelf().others }
  }

  public func exchange(for session: String?) async throws(AuthError) -> StoreOutcome {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.exchange(for: session) }
  }

  /// Locks `NAME.inuse` beside the file, which is made if it is missing. The lock ends with the process at the latest.
  public func lock() async throws(AuthError) -> (any StoreLock)? {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.takeForOne() }
  }

  /// Watches the file's name in its folder, with the kernel's help: other processes of this machine are seen at once, a
  /// folder that is not there yet within a second, another machine on a network's disk late or not at all.
  public func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? {
    try await Background.run(on: threads) { [file] () throws(AuthError) in try file.watch(changed) }
  }
}

extension FileCredentialStore {
  /// Erases what cannot be read, for signing out where `Auth.signOut()` throws `.storeDamaged`: the session file if it
  /// is damaged, and the damaged files that were kept aside. A session that can be read stays.
  ///
  /// The files are gone from the disk when this returns. Throws as a write does, and `.storeTooNew` for a file of a
  /// later version, which is not damaged and stays.
  ///
  /// - Returns: how many files were erased.
  @discardableResult
  public func eraseDamaged() async throws(AuthError) -> Int {
    try await onWorkQueue { [file, threads] () throws(AuthError) in
      try await Background.run(on: threads) { () throws(AuthError) in try file.eraseDamaged() }
    }
  }

  /// Erases what cannot be read.
  ///
  /// - Parameter completion: gets the number of files that were erased.
  public func eraseDamaged(@_inheritActorContext completion: @escaping Completion<Int>) {
    callbacks.deliver(to: completion) { [file, threads] () throws(AuthError) in
      try await Background.run(on: threads) { () throws(AuthError) in try file.eraseDamaged() }
    }
  }
}

extension CredentialStore where Self == FileCredentialStore {
  /// A store in a file; see `FileCredentialStore` for what it promises.
  public static func file(
    _ path: String, keepsUsers: Bool = false, callbackQueue: DispatchQueue = .main
  ) -> FileCredentialStore {
    FileCredentialStore(path: path, keepsUsers: keepsUsers, callbackQueue: callbackQueue)
  }
}
