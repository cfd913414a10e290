import GatehouseBase
import IdentityToolkit

// The columns of `firebase auth:export`: 28 of them at first, and four more for each identity provider that was added
// later. A row may have one more, which is empty.
extension ImportedAccount {
  /// The identity providers that have columns, with the index of their first one: the user's identifier there, then the
  /// address, the name and the picture.
  static let columns: [(provider: String, first: Int)] = [
    ("google.com", 7), ("facebook.com", 11), ("twitter.com", 15), ("github.com", 19), ("apple.com", 28),
    ("microsoft.com", 32), ("gc.apple.com", 36), ("playgames.google.com", 40), ("linkedin.com", 44), ("yahoo.com", 48),
  ]
  /// The number of columns.
  static let columnCount = 52

  /// Whether the columns are as many as a tool of some version writes. Others mean that the file was cut, that it is
  /// another list, or that the quotes of a name were not doubled: then a column would be taken for another one.
  static func isWhole(_ fields: [String]) -> Bool {
    let count = fields.last?.isEmpty == true && fields.count % 4 == 1 ? fields.count - 1 : fields.count
    return (28...columnCount).contains(count) && count.isMultiple(of: 4)
  }

  /// Whether the columns are those of an account, with a time and without text in place of a flag.
  static func isAccount(_ fields: [String]) -> Bool {
    guard isWhole(fields), !fields[0].isEmpty else { return false }
    return [2, 26].allSatisfy { ["", "true", "false"].contains(fields[$0].lowercased()) }
      && [23, 24].allSatisfy { fields[$0].utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// Reads an account from the columns of a row.
  ///
  /// - Throws: `.invalidArgument` for a column that cannot be read.
  init(columns fields: [String]) throws(AuthError) {
    guard Self.isWhole(fields) else {
      throw AuthError(
        .invalidArgument,
        "it has \(fields.count) columns, and rows of firebase auth:export have 28, 32, 36, … or \(Self.columnCount); "
          + "is a comma or a quote in a name, and the name not quoted, or its quotes not doubled?")
    }
    func field(_ index: Int) -> String? {
      guard index < fields.count, !fields[index].isEmpty else { return nil }
      return UserFileColumn(at: index, besides: fields[3]).value(fields[index])
    }
    self.init(localId: "")
    localId = field(0)
    email = field(1)
    emailVerified = try Self.flag(field(2), "emailVerified")
    passwordHash = field(3).map { Secret($0) }
    salt = field(4).map { Secret($0) }
    displayName = field(5)
    photoUrl = field(6)
    createdAt = try Self.time(field(23), "createdAt")
    lastLoginAt = try Self.time(field(24), "lastSignedInAt")
    phoneNumber = field(25)
    disabled = try Self.flag(field(26), "disabled")
    customAttributes = field(27)
    var identities: [Account.ProviderUserInfo] = []
    for (provider, first) in Self.columns {
      guard let subject = field(first) else { continue }
      var identity = Account.ProviderUserInfo(providerId: provider)
      identity.rawId = subject
      identity.email = field(first + 1)
      identity.displayName = field(first + 2)
      identity.photoUrl = field(first + 3)
      identities.append(identity)
    }
    providerUserInfo = identities.isEmpty ? nil : identities
  }

  private static func flag(_ text: String?, _ name: String) throws(AuthError) -> Bool? {
    switch text?.lowercased() {
    case nil: return nil
    case "true": return true
    case "false": return false
    default: throw AuthError(.invalidArgument, "\(name) is not true or false; is a comma not quoted?")
    }
  }

  private static func time(_ text: String?, _ name: String) throws(AuthError) -> DecimalString? {
    guard let text else { return nil }
    guard let number = Int64(text) else {
      throw AuthError(.invalidArgument, "\(name) is not a whole number; is a comma not quoted?")
    }
    return DecimalString(number)
  }
}
