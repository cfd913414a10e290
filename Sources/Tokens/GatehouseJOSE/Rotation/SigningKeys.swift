import GatehouseBase

/// The keys of a rotation, in the order in which they sign. Times are seconds on the boot clock.
struct SigningKeys: Sendable {
  struct Entry: Sendable {
    /// The published key.
    let key: JWK
    /// `nil` once the key no longer signs.
    var signer: TokenSigner?
    let signsFrom: Double
    /// The time when the next key begins to sign; `nil` while there is none.
    var signsUntil: Double?

    init(key: JWK, signer: TokenSigner?, signsFrom: Double, signsUntil: Double?) {
      self.key = key
      self.signer = signer
      self.signsFrom = signsFrom
      self.signsUntil = signsUntil
    }

    /// Makes a key that signs until another one does.
    init(_ signer: TokenSigner, signsFrom: Double) throws(AuthError) {
      guard let key = signer.publicJWK else { throw SigningKeyRotation.noPublicKey }
      self.init(key: key, signer: signer, signsFrom: signsFrom, signsUntil: nil)
    }
  }

  private(set) var entries: [Entry] = []
  /// The time for which a retired key is published, in seconds.
  private let retention: Double

  init(retention: Double) { self.retention = retention }

  /// Whether the last key does not sign yet.
  func isRotating(at now: Double) -> Bool { entries.last.map { $0.signsFrom > now } ?? false }

  /// Adds the key that signs after the last one.
  mutating func add(_ entry: Entry) throws(AuthError) {
    guard let keyID = entry.key.keyID else { throw AuthError(.invalidArgument, "a key that rotates needs a `kid`") }
    guard !entries.contains(where: { $0.key.keyID?.isExactly(keyID) == true }) else {
      throw AuthError(.invalidArgument, "another published key has the same `kid`")
    }
    guard entries.count < JWKSet.maximumCount else {
      throw AuthError(.invalidArgument, "more than \(JWKSet.maximumCount) keys would be published")
    }
    if let last = entries.indices.last, entries[last].signsUntil == nil { entries[last].signsUntil = entry.signsFrom }
    entries.append(entry)
  }

  /// Removes all keys except one.
  mutating func replaceAll(with entry: Entry) throws(AuthError) {
    var keys = SigningKeys(retention: retention)
    try keys.add(entry)
    self = keys
  }

  /// Removes the keys whose last token has expired, and the private keys that no longer sign.
  mutating func prune(at now: Double) {
    entries.removeAll { entry in entry.signsUntil.map { $0 + retention <= now } ?? false }
    for index in entries.indices where entries[index].signsUntil.map({ $0 <= now }) ?? false {
      entries[index].signer = nil
    }
  }

  /// The signer at a moment.
  ///
  /// A clock that goes back does not reactivate a key whose successor was seen to sign.
  func current(at now: Double) -> TokenSigner? {
    (entries.last { $0.signsFrom <= now && $0.signer != nil } ?? entries.first { $0.signer != nil })?.signer
  }

  func status(at now: Double) -> SigningKeyRotation.Status {
    let current = current(at: now)?.keyID ?? ""
    let next = isRotating(at: now) ? entries.last : nil
    return SigningKeyRotation.Status(
      current: current, next: next?.key.keyID, timeUntilNext: next.map { Duration(seconds: $0.signsFrom - now) },
      retired: entries.filter { $0.signer == nil }.compactMap(\.key.keyID))
  }
}
