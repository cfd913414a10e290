import GatehouseBase

/// The hash of an account's password, as the database has it: one of ours, or one of another system.
enum StoredHash: Sendable {
  case own(PasswordHash)
  case imported(ImportedHash)

  /// Reads a hash that `PasswordHash.text` or `ImportedHash.text()` wrote.
  init(text: String) throws(AuthError) {
    if let imported = try ImportedHash(text: text) {
      self = .imported(imported)
    } else {
      self = .own(try PasswordHash(text: text))
    }
  }

  var work: HashWork {
    switch self {
    case .own(let own): HashWork(own.cost)
    case .imported(let imported): HashWork(imported)
    }
  }

  /// Whether this is the hash of a password, on one of `HashThreads`. The comparison takes constant time.
  func matchesInPlace(_ password: [UInt8]) throws(AuthError) -> Bool {
    switch self {
    case .own(let own): try own.matchesInPlace(password)
    case .imported(let imported): try imported.matchesInPlace(password)
    }
  }
}
