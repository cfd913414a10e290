import GRDB
import GatehouseBase
import GatehouseJOSE
import GatehouseSystem

/// The administrator's changes of the signing keys.
struct KeyAdministration: ProviderPart {
  let store: ProviderStore
  let keys: SigningKeys

  func records() throws(AuthError) -> [KeyRecord] {
    let now = try now()
    return KeyRecord.all(try keys.reread(at: now).rows, at: now)
  }

  /// Makes the next key, or makes the published one sign now.
  func rotate(atOnce: Bool) throws(AuthError) -> [KeyRecord] {
    // A process that opens the home meanwhile would mistake the new key's file for a leftover.
    let lock = try store.home.lockedForOpening(mayBeNew: false, patience: options.patience)
    defer { lock.unlock() }
    let now = try now()
    let rows = try keys.reread(at: now).rows
    let algorithm = options.signing.rawValue
    if let next = rows.next(algorithm, at: now) {
      guard atOnce else {
        throw AuthError(
          .invalidArgument,
          "the key \(next.keyID) is published already and signs from \(Moment(seconds: next.signsFrom).rfc3339) on; "
            + "to have it sign now, run: gate keys rotate --now")
      }
      try sign(with: next, at: now)
    } else {
      guard rows.count < Self.mostKeys else {
        throw AuthError(
          .invalidArgument,
          "there are \(rows.count) keys already, and tokens of each may still be in use; wait until some have expired")
      }
      let lead = atOnce ? 0 : options.keyPublication.wholeSeconds
      // Never before the key that it follows, whatever the clock shows.
      let earliest = rows.last { $0.algorithm == algorithm }?.signsFrom ?? 0
      try makeKey(signingFrom: max(now.seconds + lead, earliest), at: now)
    }
    return KeyRecord.all(try keys.reread(at: now).rows, at: now)
  }

  /// Revokes a key at once, because it may be compromised. If it is the signing key, the next one or a new one signs
  /// from now on.
  func revoke(_ keyID: String) throws(AuthError) -> [KeyRecord] {
    let lock = try store.home.lockedForOpening(mayBeNew: false, patience: options.patience)
    defer { lock.unlock() }
    let now = try now()
    let rows = try keys.reread(at: now).rows
    let algorithm = options.signing.rawValue
    guard let key = rows.present.first(where: { $0.keyID.isExactly(keyID) }) else {
      throw AuthError(.invalidArgument, "no key is called \(keyID.printable()); gate keys list shows them")
    }
    // Without the limit on the number of keys, because a stolen key must be removed. If the process is killed after
    // this, both keys are valid, and the call can be repeated.
    if key == rows.signing(algorithm, at: now) {
      if let next = rows.next(algorithm, at: now) {
        try sign(with: next, at: now)
      } else {
        try makeKey(signingFrom: now.seconds, at: now)
      }
    }
    try database.write { db in try mark(key, as: .keyRevoked, at: now, in: db) }
    try finishRemoval(of: [key])
    return KeyRecord.all(try keys.reread(at: now).rows, at: now)
  }

  /// Makes a published key sign from now on.
  private func sign(with key: StoredKey, at now: Moment) throws(AuthError) {
    try database.write { db in
      try db.execute(sql: "UPDATE signingKey SET signsFrom = ? WHERE keyID = ?", arguments: [now.seconds, key.keyID])
      try audit.record(AuditEvent(.keyRotated, key: key.keyID, at: now), at: now)
    }
  }

  private func makeKey(signingFrom: Int64, at now: Moment) throws(AuthError) {
    _ = try SigningKeys.make(store.home, database, keys.rules, signingFrom: signingFrom, at: now) { row in
      try audit.record(AuditEvent(.keyRotated, key: row.keyID, at: now), at: now)
    }
  }

  private static let mostKeys = 50

  /// Removes the keys whose last token has expired, and completes the removals of killed processes. Does nothing while
  /// another process opens the home or removes keys.
  ///
  /// - Parameter patience: the maximum time to wait for that process, in seconds.
  func prune(at now: Moment, patience: Double = 0) throws(AuthError) {
    let rows = try database.read { db in try StoredKey.all(in: db) }
    guard rows.contains(where: { $0.isDue(among: rows, at: now) }),
      let lock = try? store.home.lockedForOpening(mayBeNew: false, patience: patience)
    else { return }
    defer { lock.unlock() }
    // Only a row that is marked can lack its file. If the process is killed at any point, the next call continues.
    let due = try database.write { db in
      let rows = try StoredKey.all(in: db)
      let due = rows.filter { $0.isDue(among: rows, at: now) }
      for row in due where !row.removing { try mark(row, as: .keyRemoved, at: now, in: db) }
      return due
    }
    try finishRemoval(of: due)
    try keys.reread(at: now)
  }

  /// Marks a key as removed. From the commit on, no process uses it.
  private func mark(_ key: StoredKey, as event: AuditEvent.Kind, at now: Moment, in db: Database) throws {
    try db.execute(sql: "UPDATE signingKey SET removing = 1 WHERE keyID = ?", arguments: [key.keyID])
    try audit.record(AuditEvent(event, key: key.keyID, at: now), at: now)
  }

  private func finishRemoval(of keys: [StoredKey]) throws(AuthError) {
    for key in keys { try store.home.removeKey(key.keyID) }
    try database.write { db in
      for key in keys {
        try db.execute(sql: "DELETE FROM signingKey WHERE keyID = ? AND removing = 1", arguments: [key.keyID])
      }
    }
  }
}

extension StoredKey {
  /// Whether the key is due for removal.
  fileprivate func isDue(among rows: [StoredKey], at now: Moment) -> Bool {
    removing || rows.verifiesUntil(self).map { $0 <= now.seconds } ?? false
  }
}
