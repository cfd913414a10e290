import FoundationEssentials
import GatehouseBase
import GatehouseCrypto
import GatehouseQueues

/// The password hash of an imported account. It was made by another system, and is checked with that system's algorithm
/// until the first sign-in, when the account gets a `PasswordHash`.
///
/// The text form is `imported$` and JSON. The other system's parameters determine how long a check takes (`HashWork`).
struct ImportedHash: Codable, Sendable {
  enum Way: Codable, Sendable, Equatable {
    /// Firebase's own scrypt. `separator` ends the stored salt; `nil` for a hash that was imported before it was
    /// recorded, or without one.
    case firebaseScrypt(signerKey: Data, rounds: Int, memoryCost: Int, separator: Data? = nil)
    case scrypt(n: Int, r: Int, p: Int)
    case bcrypt
    case pbkdf2(LegacyHash, rounds: Int)
    case hmac(LegacyHash, key: Data, passwordFirst: Bool)
    /// The digest is repeated on itself, `rounds` times in total.
    case digest(LegacyHash, rounds: Int, passwordFirst: Bool)
    /// MD5 as lowercase hexadecimal text.
    case hexadecimalMD5(passwordFirst: Bool)
    case argon2(Argon2)
  }

  let way: Way
  let hash: Data
  /// The salt, followed by the separator.
  let salt: Data

  private static let prefix = "imported$"

  init(_ way: Way, hash: [UInt8], salt: [UInt8]) {
    self.way = way
    self.hash = Data(hash)
    self.salt = Data(salt)
  }

  /// Reads a hash that `text` wrote; `nil` for the hash of a password that was set here.
  init?(text: String) throws(AuthError) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(text.dropFirst(Self.prefix.count).utf8)) else {
      throw AuthError(.providerDamaged, "an account's password hash cannot be read; restore the accounts from a copy")
    }
    self = read
  }

  func text() throws(AuthError) -> String { text(try way.text()) }

  /// Returns `text()` for a caller that has the text of the way: an import has the same one for all its accounts.
  func text(_ way: String) -> String {
    "\(Self.prefix){\"hash\":\"\(Base64.encode(hash))\",\"salt\":\"\(Base64.encode(salt))\",\"way\":\(way)}"
  }

  /// The salt as the other system had it, without the separator.
  var ownSalt: Data {
    guard case .firebaseScrypt(_, _, _, let separator?) = way else { return salt }
    return salt.dropLast(separator.count)
  }

  /// Whether this is the hash of a password, on one of `HashThreads`. The comparison takes constant time.
  func matchesInPlace(_ password: [UInt8]) throws(AuthError) -> Bool {
    let (salt, hash) = (Array(salt), Array(hash))
    let found: [UInt8]
    switch way {
    case .firebaseScrypt(let key, let rounds, let memoryCost, _):
      found = try FirebaseScrypt.hash(
        password: password, salt: salt, signerKey: Array(key), rounds: rounds, memoryCost: memoryCost)
    case .scrypt(let n, let r, let p):
      found = try typed { try Scrypt.derive(password: password, salt: salt, n: n, r: r, p: p, count: hash.count) }
    case .bcrypt: return try Bcrypt.matches(password, hash)
    case .pbkdf2(let function, let rounds):
      found = try function.derive(password: password, salt: salt, rounds: rounds, count: hash.count)
    case .hmac(let function, let key, let passwordFirst):
      found = try function.tag(of: joined(password, passwordFirst), key: SecretBytes(Array(key)))
    case .digest(let function, let rounds, let passwordFirst):
      var digest = try function.hash(joined(password, passwordFirst))
      for _ in 1..<max(rounds, 1) { digest = try function.hash(digest) }
      found = digest
    case .hexadecimalMD5(let passwordFirst):
      let digits = Array("0123456789abcdef".utf8)
      found = try LegacyHash.md5.hash(joined(password, passwordFirst)).flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      }
    case .argon2(let argon2): found = try argon2.hash(password, salt: salt)
    }
    return constantTimeEquals(found, hash)
  }

  private func joined(_ password: [UInt8], _ passwordFirst: Bool) -> [UInt8] {
    passwordFirst ? password + salt : salt + password
  }
}

extension ImportedHash.Way {
  /// The way as JSON.
  func text() throws(AuthError) -> String {
    guard let json = try? JSONEncoder().encode(self) else {
      throw AuthError(.internalError, "a password hash cannot be written")
    }
    return String(decoding: json, as: UTF8.self)
  }
}
