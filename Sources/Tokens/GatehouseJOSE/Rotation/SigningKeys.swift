import GatehouseBase

/// The keys of a rotation, in the order in which they sign. Moments are seconds on the boot clock.
struct SigningKeys: Sendable {
  struct Entry: Sendable {
    /// What is published.
    let key: JWK
    /// `nil` once the key does not sign any more.
    var signer: TokenSigner?
    let signsFrom: Double
    /// When the next key begins to sign; `nil` as long as there is none.
    var signsUntil: Double?

    init(key: JWK, signer: TokenSigner?, signsFrom: Double, signsUntil: Double?) {
      self.key = key
      self.signer = signer
      self.signsFrom = signsFrom
      self.signsUntil = signsUntil
    }

    /// A key that signs until another one does.
    init(_ signer: TokenSigner, signsFrom: Double) throws(AuthError) {
      guard let key = signer.publicJWK else { throw SigningKeyRotation.noPublicKey }
      self.init(key: key, signer: signer, signsFrom: signsFrom, signsUntil: nil)
    }
  }

  private(set) var entries: [Entry] = []
  /// How long a retired key is published, in seconds.
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

  /// Drops all keys but one.
  mutating func replaceAll(with entry: Entry) throws(AuthError) {
    var keys = SigningKeys(retention: retention)
    try keys.add(entry)
    self = keys
  }

  /// Drops the keys whose last token has expired, and the private keys that do not sign any more.
  mutating func prune(at now: Double) {
    entries.removeAll { entry in entry.signsUntil.map { $0 + retention <= now } ?? false }
    for index in entries.indices where entries[index].signsUntil.map({ $0 <= now }) ?? false {
      entries[index].signer = nil
    }
  }

  /// The signer at a moment.
  ///
  /// A clock that goes back does not go behind the last key that was seen to sign.
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
