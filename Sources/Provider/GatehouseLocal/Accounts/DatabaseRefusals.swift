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
  /// The provider's error for an error of SQLite's. Contains SQLite's message, never a statement's arguments.
  init(_ error: DatabaseError) {
    let words = error.message ?? "code \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      self.init(.providerDamaged, "the accounts database is damaged (\(words)); restore it from a copy")
    case .SQLITE_FULL:
      self.init(.providerUnavailable, "the disk is full, and the accounts database cannot grow; nothing was changed")
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
