import GatehouseBase
import GatehouseQueues
import Glibc

/// A session's file that one `Auth` has for itself: the lock of `NAME.inuse`, which ends with the process at the
/// latest.
///
/// Not the lock of a write (`NAME.lock`), which is held for one comparison and one change.
final class FileStoreLock: StoreLock {
  private final class OpenFile: Sendable {
    let file: POSIXFile

    init(_ file: consuming POSIXFile) { self.file = file }
  }

  private let open: TakeOnce<OpenFile>

  fileprivate init(_ file: consuming POSIXFile) { open = TakeOnce(OpenFile(file)) }

  /// Unlocks before it closes: a program that is being started may have the open file for a moment.
  func release() { open.take()?.file.unlock() }
}

extension SessionFile {
  /// Takes the file for one `Auth`, or throws `.storeInUse`. Blocks its thread.
  func takeForOne() throws(AuthError) -> FileStoreLock {
    guard let folder = try openFolder(making: true) else {
      throw failed(.storeFailed, FileFailure(call: "open", number: ENOENT))
    }
    let place = "\(path).inuse"
    let file = try attempt(.storeFailed, at: place) { () throws(FileFailure) in
      try folder.open("\(name).inuse", O_RDWR | O_CREAT, mode: 0o600)
    }
    let status = try attempt(.storeFailed) { () throws(FileFailure) in try file.status() }
    try Ownership.check(status, at: place, is: .file, forbidding: 0o022)
    guard try attempt(.storeFailed, { () throws(FileFailure) in try file.tryLock() }) else { throw .storeInUse(path) }
    return FileStoreLock(file)
  }
}

extension AuthError {
  /// - Parameter store: the name of the store.
  static func storeInUse(_ store: String) -> AuthError {
    AuthError(
      .storeInUse,
      "\(store) is in use by another Auth, in this program or another, and this provider rotates refresh tokens, which "
        + "only one may use; close the other one and call ready() again, or use another store")
  }
}
