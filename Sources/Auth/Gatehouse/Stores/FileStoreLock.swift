import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The lock on `NAME.inuse`, which lets one `Auth` at a time refresh a session in a file. It ends with the process at
/// the latest.
///
/// This is not the lock of a write (`NAME.lock`), which is held for one comparison and one change.
final class FileStoreLock: StoreLock {
  private final class Held: Sendable {
    let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }
  }

  private let held: TakeOnce<Held>

  fileprivate init(_ file: consuming OpenFile) { held = TakeOnce(Held(file)) }

  /// Unlocks before it closes the file: a program that is being started may hold the open file for a moment.
  func release() { held.take()?.file.unlock() }
}

extension SessionFile {
  /// Takes the lock of a refresh, or throws `.storeInUse`. Blocks its thread.
  func takeForOne() throws(AuthError) -> FileStoreLock {
    guard let folder = try openFolder(making: true) else {
      throw failed(.storeFailed, SystemError(call: "open", path: FileLocation(path).folder, number: .noSuchFile))
    }
    let file = try attempt(.storeFailed) { () throws(SystemError) in
      try folder.openOwn("\(name).inuse", .readingOrMaking, .unwritable)
    }
    guard try attempt(.storeFailed, { () throws(SystemError) in try file.tryLock() }) else { throw .storeInUse(path) }
    return FileStoreLock(file)
  }
}

extension AuthError {
  /// - Parameter store: the name of the store.
  static func storeInUse(_ store: String) -> AuthError {
    AuthError(
      .storeInUse,
      "\(store) is locked by another Auth, in this program or another, that refreshes the session or has a new refresh "
        + "token which it could not store; try again, and look for a program that was stopped")
  }
}
