import GatehouseBase

/// A service account: a program that administers the project.
package struct ServiceAccountRecord: Sendable, Hashable {
  package let email: String
  /// Its keys, oldest first.
  package let keys: [ServiceAccountKeyRecord]
  /// The URL in its files from which it gets access tokens.
  package let tokenURL: String
  /// The creation time, in milliseconds since 1970.
  package let createdAt: Int64

  init(_ stored: StoredServiceAccount, _ keys: [StoredServiceAccountKey]) {
    email = stored.email
    self.keys = keys.map { ServiceAccountKeyRecord(keyID: $0.keyID, createdAt: $0.createdAt) }
    tokenURL = stored.tokenURL
    createdAt = stored.createdAt
  }
}

/// A key of a service account.
package struct ServiceAccountKeyRecord: Sendable, Hashable {
  /// The key's identifier, `private_key_id` in its file.
  package let keyID: String
  /// The creation time, in milliseconds since 1970.
  package let createdAt: Int64
}

/// A service account to be created.
package struct ServiceAccountDraft: Sendable {
  /// The name: 1 to 30 lowercase ASCII letters, digits and hyphens, beginning with a letter.
  package var name: String
  /// The URL from which the account gets access tokens.
  package var tokenURL: String

  package init(name: String, tokenURL: String) {
    self.name = name
    self.tokenURL = tokenURL
  }

  func check() throws(AuthError) {
    let isUsable =
      (1...30).contains(name.utf8.count)
      && name.utf8.first.map((UInt8(ascii: "a")...UInt8(ascii: "z")).contains) == true
      && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
    guard isUsable else {
      throw AuthError(
        .invalidArgument,
        "a service account's name has 1 to 30 small letters (a-z), digits and hyphens, and begins with a letter")
    }
    guard WebAddress.host(of: tokenURL) != nil, tokenURL.utf8.count <= 1024 else {
      throw AuthError(.invalidArgument, "the address of access tokens must begin with http:// or https://")
    }
  }
}
