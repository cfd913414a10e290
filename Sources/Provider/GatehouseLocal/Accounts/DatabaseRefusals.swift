import GRDB
import GatehouseBase

/// Runs work on the database, and converts its errors to `AuthError`. Errors that are already `AuthError`s are passed
/// on.
func refusingDatabaseErrors<Value>(_ work: () throws -> Value) throws(AuthError) -> Value {
  do {
    return try work()
  } catch let error as AuthError {
    throw error
  } catch let error as DatabaseError {
    throw AuthError(error)
  } catch is RowDecodingError {
    throw .unreadableRow
  } catch {
    throw AuthError(.internalError, "the accounts database failed: \(type(of: error))")
  }
}

extension AuthError {
  /// SQLite's error codes for a file that cannot grow: for a file beside the database when the disk is full, for any
  /// file at a size limit (`EFBIG`). A failing device has the same codes; GRDB's error does not contain the system's
  /// error number.
  private static let fullDisk: [ResultCode] = [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE]

  /// Returns SQLite's message for an error. The message is that of SQLite's last call, which may have been a successful
  /// cleanup; then the error code is more useful.
  package static func databaseWords(_ message: String?, code: Int32) -> String {
    guard let message, message != "not an error" else { return "code \(code)" }
    return message
  }

  /// Makes the provider's error for an SQLite error. It contains SQLite's message, but never a statement's arguments.
  convenience init(_ error: DatabaseError) {
    let words = Self.databaseWords(error.message, code: error.extendedResultCode.rawValue)
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(.providerDamaged, "the accounts database is damaged (\(words)); restore it from a copy")
    case .SQLITE_FULL:
      self.init(.providerUnavailable, "the disk is full; make room on it and try again; the change was not made")
    case .SQLITE_IOERR where Self.fullDisk.contains(error.extendedResultCode):
      self.init(
        .providerUnavailable,
        "the accounts database cannot be written (\(words)): the disk is full, or a limit on the size of files is "
          + "reached, or the disk fails; make room on it or raise the limit (ulimit -f), and try again; "
          + "the change was not made"
      )
    case .SQLITE_READONLY:
      self.init(.providerUnavailable, "the accounts database is read-only (\(words)); the change was not made")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.providerUnavailable, "another program holds the accounts database; try again")
    case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOMEM, .SQLITE_NOLFS:
      self.init(.providerUnavailable, "the accounts database cannot be used now (\(words))")
    default:
      self.init(.internalError, "the accounts database failed: \(words)")
    }
  }
}
