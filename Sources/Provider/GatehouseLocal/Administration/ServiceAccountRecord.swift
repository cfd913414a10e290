import GatehouseBase

/// A service account: a program that administers the project.
package struct ServiceAccountRecord: Sendable, Hashable {
  package let email: String
  /// The name of its key.
  package let keyID: String
  /// Where its file says that it gets access tokens.
  package let tokenURL: String
  /// Milliseconds since 1970.
  package let createdAt: Int64

  init(_ stored: StoredServiceAccount) {
    email = stored.email
    keyID = stored.keyID
    tokenURL = stored.tokenURL
    createdAt = stored.createdAt
  }
}

/// A service account to be made.
package struct ServiceAccountDraft: Sendable {
  /// 1 to 30 small letters of ASCII, digits and hyphens, the first one a letter.
  package var name: String
  /// Where the account gets access tokens.
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
