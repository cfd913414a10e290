import GatehouseBase
import GatehouseCrypto
import GatehouseQueues

/// A stored password: a salted scrypt hash, with its cost.
///
/// The text form is `scrypt$N$r$p$SALT$HASH`, the last two in base64url. Making and checking a hash is slow, so it is
/// for background threads only.
struct PasswordHash: Sendable {
  let cost: PasswordCost
  let salt: [UInt8]
  let hash: [UInt8]

  /// Hashes a password with a new salt.
  init(of password: [UInt8], cost: PasswordCost) throws(AuthError) {
    self.cost = cost
    salt = try RandomBytes.bytes(16)
    hash = try HashThreads.ordinary.sync { [salt] () throws(AuthError) in try Self.derive(password, salt, cost) }
  }

  /// Makes a hash that no password has, and that takes as long to check as any other of this cost. It is random instead
  /// of the hash of a password, which would take just as long to compute and delay the opening of a provider.
  init(ofNone cost: PasswordCost) throws(AuthError) {
    self.cost = cost
    salt = try RandomBytes.bytes(16)
    hash = try RandomBytes.bytes(32)
  }

  /// Reads a hash that `text` wrote.
  init(text: String) throws(AuthError) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt",
      let n = Int(parts[1]), let r = Int(parts[2]), let p = Int(parts[3]), PasswordCost(n: n, r: r, p: p).isValid,
      let salt = try? Base64URL.bytes(of: String(parts[4])), let hash = try? Base64URL.bytes(of: String(parts[5])),
      hash.count == 32
    else {
      throw AuthError(.providerDamaged, "an account's password hash cannot be read; restore the accounts from a copy")
    }
    cost = PasswordCost(n: n, r: r, p: p)
    self.salt = salt
    self.hash = hash
  }

  var text: String {
    "scrypt$\(cost.n)$\(cost.r)$\(cost.p)$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
  }

  /// Whether this is the hash of a password. The comparison takes constant time.
  func matches(_ password: [UInt8]) throws(AuthError) -> Bool {
    try HashThreads.ordinary.sync { () throws(AuthError) in try matchesInPlace(password) }
  }

  /// As `matches`, on one of `HashThreads`.
  func matchesInPlace(_ password: [UInt8]) throws(AuthError) -> Bool {
    constantTimeEquals(try Self.derive(password, salt, cost), hash)
  }

  private static func derive(_ password: [UInt8], _ salt: [UInt8], _ cost: PasswordCost) throws(AuthError) -> [UInt8] {
    try typed { try Scrypt.derive(password: password, salt: salt, n: cost.n, r: cost.r, p: cost.p, count: 32) }
  }
}
