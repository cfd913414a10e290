import GRDB
import GatehouseBase
import GatehouseCrypto

/// A row for a device or a network from which a user of an account has signed in. Only a hash of the device's cookie, or
/// of the network (`Caller.network`), is stored.
///
/// For second factors, a device or a network is known only after a sign-in with one: a reader of an account's mail can
/// make any network known by resetting the password, and would otherwise guess codes without a limit.
struct KnownDevice: Codable, Sendable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "knownDevice"
  /// The maximum number of rows of each kind for an account. A new one replaces the least recently used one.
  static let most = 20
  /// The time for which a device is kept after its last use, in seconds.
  static let memory: Int64 = 180 * 86400

  enum Kind: String, Codable, Sendable {
    /// A device that keeps a cookie.
    case cookie
    /// A network, for clients that keep no cookie.
    case network
    /// A device or a network that has shown a second factor.
    case factor
  }

  /// The proofs for which an account knows a device or a network.
  enum Proof: Sendable {
    case password, secondFactor
  }

  var hash: String
  var uid: String
  /// Seconds since 1970.
  var usedAt: Int64
  var kind: Kind
  /// Whether the account's owner was here, and not only a person who knows the password: the account was made here, or
  /// the mail of its verified address was read here (decision 147).
  var isOwners = false

  /// Returns the caller's device and the caller's network, as far as the account knows them, in this order.
  static func known(
    of caller: Caller, to account: StoredAccount, for proof: Proof = .password, in db: Database
  ) throws -> [KnownDevice] {
    try known(of: caller, toAccount: account.uid, for: proof, in: db)
  }

  /// - Parameter uid: the account's identifier; an empty one has no devices.
  static func known(
    of caller: Caller, toAccount uid: String, for proof: Proof = .password, in db: Database
  ) throws -> [KnownDevice] {
    try hashes(of: caller, uid, for: proof).compactMap { try find($0, of: uid, in: db) }
  }

  private static func hashes(
    of caller: Caller, _ uid: String, for proof: Proof
  ) throws(AuthError) -> [String] {
    var hashes: [String] = []
    if let cookie = caller.device { hashes.append(try hash(cookie, for: proof)) }
    if let network = caller.network { hashes.append(try hash(ofNetwork: network, for: uid, proof)) }
    return hashes
  }

  /// Whether the account knows the device of a cookie.
  static func isKnown(_ cookie: Secret, to uid: String, in db: Database) throws -> Bool {
    try find(hash(cookie), of: uid, in: db) != nil
  }

  private static func find(_ hash: String, of uid: String, in db: Database) throws -> KnownDevice? {
    try first("SELECT * FROM knownDevice WHERE hash = ? AND uid = ?", [hash, uid], in: db)
  }

  /// Adds a device.
  ///
  /// - Parameter withFactor: whether its user has shown a second factor.
  static func add(_ cookie: Secret, to uid: String, withFactor: Bool, at now: Moment, in db: Database) throws {
    try KnownDevice(hash: hash(cookie), uid: uid, usedAt: now.seconds, kind: .cookie).add(in: db)
    guard withFactor else { return }
    try KnownDevice(hash: hash(cookie, for: .secondFactor), uid: uid, usedAt: now.seconds, kind: .factor).add(in: db)
  }

  /// Adds the network, and the device if the account knows it, of a caller who has just shown a second factor.
  static func note(factorOf caller: Caller, for account: StoredAccount, at now: Moment, in db: Database) throws {
    var caller = caller
    if let cookie = caller.device, try !isKnown(cookie, to: account.uid, in: db) { caller.device = nil }
    for hash in try hashes(of: caller, account.uid, for: .secondFactor) {
      try db.change("DELETE FROM knownDevice WHERE hash = ?", [hash])
      try KnownDevice(hash: hash, uid: account.uid, usedAt: now.seconds, kind: .factor).add(in: db)
    }
  }

  /// Adds the network of a caller who has shown to be the account's user. An account without an address or a phone has
  /// no failures and no messages to count.
  ///
  /// - Parameter isOwners: whether the caller has shown to be the account's owner; see `isOwners`.
  static func note(
    networkOf caller: Caller, for account: StoredAccount, isOwners: Bool = false, at now: Moment, in db: Database
  ) throws {
    guard account.email != nil || account.phoneNumber != nil, !caller.isAdministrator, let network = caller.network
    else { return }
    let hash = try hash(ofNetwork: network, for: account.uid)
    guard var known = try find(hash, of: account.uid, in: db) else {
      return try KnownDevice(hash: hash, uid: account.uid, usedAt: now.seconds, kind: .network, isOwners: isOwners)
        .add(in: db)
    }
    if known.isOwners, let cookie = caller.device {
      try db.change(
        "UPDATE knownDevice SET isOwners = 1 WHERE hash = ? AND uid = ?", [try self.hash(cookie), account.uid])
    }
    // Once a day is enough.
    guard now.seconds - known.usedAt > 86400 || isOwners && !known.isOwners else { return }
    known.usedAt = now.seconds
    known.isOwners = known.isOwners || isOwners
    try known.update(db)
  }

  /// Returns the hashes of the devices and networks where the account's owner was.
  static func ownersHashes(of uid: String, in db: Database) throws -> [String] {
    try String.fetchAll(
      db, sql: "SELECT hash FROM knownDevice WHERE uid = ? AND isOwners AND kind != ? ORDER BY hash",
      arguments: [uid, Kind.factor.rawValue])
  }

  /// Returns the hashes of the caller's device and network, whether the account knows them or not.
  static func hashes(of caller: Caller, for account: StoredAccount) throws(AuthError) -> [String] {
    try hashes(of: caller, account.uid, for: .password)
  }

  /// Makes all devices and networks of an account ones where its owner was not, unless the account knows the caller's:
  /// the mail of its address is read elsewhere. A caller whose network tells nothing changes nothing.
  static func doubtOwners(of account: StoredAccount, readIn caller: Caller, in db: Database) throws {
    guard !caller.limitedNetworks.isEmpty, try known(of: caller, to: account, in: db).isEmpty else { return }
    try db.change("UPDATE knownDevice SET isOwners = 0 WHERE uid = ?", [account.uid])
  }

  private func add(in db: Database) throws {
    try insert(db)
    try db.change(
      """
      DELETE FROM knownDevice WHERE hash IN
        (SELECT hash FROM knownDevice WHERE uid = ? AND kind = ? ORDER BY usedAt DESC, hash LIMIT -1 OFFSET ?)
      """, [uid, kind.rawValue, Self.most])
  }

  /// Forgets the devices and the networks of an account, except those of the caller who ends its sessions: the account
  /// goes on knowing a user who changes the password, whatever others do meanwhile.
  static func forgetAll(of uid: String, but caller: Caller = Caller(), in db: Database) throws {
    var kept: [String] = []
    if !caller.isAdministrator {
      for proof in [Proof.password, .secondFactor] { kept += try hashes(of: caller, uid, for: proof) }
    }
    kept += Array(repeating: "", count: 4 - kept.count)
    try db.change(
      "DELETE FROM knownDevice WHERE uid = ? AND hash NOT IN (?, ?, ?, ?)", StatementArguments([uid] + kept))
  }

  /// An unsalted, fast hash is sufficient, because 256 random bits cannot be guessed. No cookie contains a space.
  private static func hash(_ cookie: Secret, for proof: Proof = .password) throws(AuthError) -> String {
    let prefix = proof == .password ? "" : "factor "
    return Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array((prefix + cookie.revealed).utf8)))
  }

  /// Returns the hash of the largest network of a caller, as an account's sessions have it; `nil` if it is unknown.
  static func hash(ofNetworkOf caller: Caller, for account: StoredAccount) throws(AuthError) -> String? {
    guard let network = caller.limitedNetworks.last?.text else { return nil }
    return try hash(ofNetwork: network, for: account.uid)
  }

  /// Different for each account, so that no two rows show that their users share a network.
  private static func hash(
    ofNetwork network: String, for uid: String, _ proof: Proof = .password
  ) throws(AuthError) -> String {
    let prefix = proof == .password ? "network" : "factor network"
    return Base64URL.encode(try HashAlgorithm.sha256.digest(of: Array("\(prefix) \(uid) \(network)".utf8)))
  }
}
