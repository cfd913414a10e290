import GRDB
import GatehouseBase

/// Runs work on the database; what it throws comes out as an `AuthError`, ours as it is.
func refusingDatabaseErrors<Value>(_ work: () throws -> Value) throws(AuthError) -> Value {
  do {
    return try work()
  } catch let error as AuthError {
    throw error
  } catch let error as DatabaseError {
    throw AuthError(error)
  } catch is RowDecodingError {
    throw AuthError(.providerDamaged, "the accounts database holds a row that this version never writes")
  } catch {
    throw AuthError(.internalError, "the accounts database failed: \(type(of: error))")
  }
}

extension AuthError {
  /// What SQLite says where a file cannot grow: of a file beside the database when the disk is full, of each file at
  /// a limit (`EFBIG`). A device that fails gets the same codes; GRDB's error does not have the system's number.
  private static let fullDisk: [ResultCode] = [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_SHMSIZE]

  /// What SQLite said of an error. Its text is that of its last call, which may have been one that tidied up and
  /// succeeded: then the error's code tells more.
  package static func databaseWords(_ message: String?, code: Int32) -> String {
    guard let message, message != "not an error" else { return "code \(code)" }
    return message
  }

  /// The provider's error for an error of SQLite's. Contains SQLite's message, never a statement's arguments.
  init(_ error: DatabaseError) {
    let words = Self.databaseWords(error.message, code: error.extendedResultCode.rawValue)
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(.providerDamaged, "the accounts database is damaged (\(words)); restore it from a copy")
    case .SQLITE_FULL:
      self.init(.providerUnavailable, "the disk is full; make room on it and try again; nothing was changed")
    case .SQLITE_IOERR where Self.fullDisk.contains(error.extendedResultCode):
      self.init(
        .providerUnavailable,
        "the accounts database cannot be written (\(words)): the disk is full, or a limit on the size of files is "
          + "reached, or the disk fails; make room on it or raise the limit (ulimit -f), and try again; "
          + "nothing was changed"
      )
    case .SQLITE_READONLY:
      self.init(.providerUnavailable, "the accounts database is read-only (\(words)); nothing was changed")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.providerUnavailable, "another program holds the accounts database; try again")
    case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOMEM, .SQLITE_NOLFS:
      self.init(.providerUnavailable, "the accounts database cannot be used now (\(words))")
    default:
      self.init(.internalError, "the accounts database failed: \(words)")
    }
  }
}
