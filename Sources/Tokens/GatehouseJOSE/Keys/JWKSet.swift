public import GatehouseBase
import GatehouseCrypto

/// The keys for verifying tokens (RFC 7517 §5): public keys, or shared secrets, but never both.
///
/// A value type: a verifier keeps the set that it was made with. A set that the program makes is strict, and so is a
/// parsed set of shared secrets. A parsed set of public keys is tolerant, so that one bad key does not cost the others:
///
///     in the set that is read                            the result
///     a key that breaks a rule, of a kind that is not    is skipped
///     known here, not for signatures, or whose
///     `key_ops` lacks `verify`
///     `x5c`, `x5t` or `x5t#S256` that is not the         the member is ignored, the key is used
///     key's, `issuer` that is not a string or is
///     empty, and optional members that are null
///     leading zeros of an RSA modulus                    are dropped
///     the same key twice, with the same `kid`, use and   the second one is dropped
///     `issuer`
///     several keys with the same `kid`                   the token's `alg` chooses among them (RFC 7517 §4.5)
///     a key whose every algorithm is also that of        is skipped, and so is the other one
///     another key with the same `kid`
///     a private key, shared secrets among public keys,   `keySetInvalid`
///     or more than 100 keys
///
/// `omissions` has the reason for everything that is skipped or ignored. The order of the published keys changes no
/// answer.
public struct JWKSet: Sendable {
  /// The keys, in the set's order.
  public let keys: [JWK]
  /// The skipped keys and the ignored members of the parsed set, in the set's order.
  public let omissions: [Omission]
  /// The keys that are skipped because other ones have the same `kid` and algorithms.
  let ambiguous: [JWK]
  /// The indexes of the keys with IDs, by the ID.
  private let indexes: [ExactText: [Int]]

  /// The maximum number of keys in a set.
  public static let maximumCount = 100

  /// The number of skipped keys.
  public var skipped: Int { omissions.count { $0.member == nil } }

  /// Makes a set of these keys.
  ///
  /// Throws `keySetInvalid` for more than 100 keys, two keys with one ID and a common algorithm, a private key, and a
  /// mix of shared secrets and public keys.
  public init(_ keys: [JWK]) throws { try self.init(keys, ambiguous: [], omissions: [], isStrict: true) }

  /// Reads a set from JSON text, tolerantly as the type describes. Throws `jsonTooLarge` beyond 256 KiB. A byte order
  /// mark at the beginning is ignored.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    try self.init(JSONValue(reading: bytes.withoutByteOrderMark, limits: .keys))
  }

  /// Reads a set from JSON, tolerantly as the type describes: an object with a member `keys`.
  public init(_ json: borrowing JSONValue) throws {
    // `borrowing`: see `JWK.init(_:)`.
    guard let list = json["keys"]?.array else {
      throw AuthError(.keySetInvalid, "expected a JWK set: an object with an array `keys`")
    }
    guard list.count <= Self.maximumCount else { throw Self.tooMany }
    var reader = KeySetReader(isStrict: try Self.holdsSecrets(list))
    try reader.read(list)
    try self.init(&reader)
  }

  /// Makes the set of the keys that a reader has read.
  init(_ reader: inout KeySetReader) throws(AuthError) {
    let (keys, ambiguous) = reader.finish()
    try self.init(keys, ambiguous: ambiguous, omissions: reader.omissions, isStrict: reader.isStrict)
  }

  private init(_ keys: [JWK], ambiguous: [JWK], omissions: [Omission], isStrict: Bool) throws(AuthError) {
    guard keys.count <= Self.maximumCount else { throw Self.tooMany }
    var indexes: [ExactText: [Int]] = [:]
    for (index, key) in keys.enumerated() {
      if case .privateKey = key.key { throw Self.privateKey }
      try key.requireReadableKeyID()
      guard let keyID = key.keyID else { continue }
      let namesakes = indexes[ExactText(keyID), default: []]
      guard !isStrict || !namesakes.contains(where: { keys[$0].sharesAlgorithm(with: key) }) else {
        throw AuthError(.keySetInvalid, "two keys of the set have the same `kid` and a common `alg`")
      }
      indexes[ExactText(keyID)] = namesakes + [index]
    }
    let secrets = keys.count { $0.key.publicKey == nil }
    guard secrets == 0 || secrets == keys.count else { throw Self.mixture }
    self.keys = keys
    self.ambiguous = ambiguous
    self.omissions = omissions
    self.indexes = indexes
  }

  /// Returns the key with an ID. Throws `unknownKey` if there is none: no other key ever replaces it. Throws it too if
  /// several keys have the ID: look one of them up with its algorithm.
  ///
  /// Without an ID, returns the only key of the set; throws `unknownKey` if there are more, or keys were skipped.
  public func key(named keyID: String?) throws -> JWK {
    if let keyID {
      let (named, others) = try keys(named: keyID)
      guard named.count == 1, others.isEmpty else { throw Self.several }
      return keys[named[0]]
    }
    guard keys.count == 1, skipped == 0 else {
      throw unusable ?? AuthError(.unknownKey, "the token has no `kid`, and the set does not have exactly one key")
    }
    return keys[0]
  }

  /// Returns the key for a token's `kid` and `alg`.
  ///
  /// With an ID it is the key with this ID, whatever its algorithm; if several have it, the only one of them that can
  /// verify the algorithm. Without an ID it is the only key of the set that can. Throws `unknownKey` if there is no such
  /// key, or more than one, and `algorithmRefused` if several keys have the ID, or the token has none, and none of them
  /// can verify the algorithm.
  public func key(named keyID: String?, for algorithm: JWSAlgorithm) throws -> JWK {
    keys[try index(named: keyID, for: algorithm)]
  }

  /// The index of `key(named:for:)` in the set.
  func index(named keyID: String?, for algorithm: JWSAlgorithm) throws(AuthError) -> Int {
    guard let keyID else { return try index(for: algorithm) }
    let (named, others) = try keys(named: keyID)
    if named.count == 1, others.isEmpty { return named[0] }
    let able = named.filter { keys[$0].verifies(algorithm) }
    guard let index = only(able, beside: others.filter { $0.verifies(algorithm) }) else {
      guard able.isEmpty, !others.contains(where: { $0.verifies(algorithm) }) else { throw Self.several }
      throw AuthError(.algorithmRefused, "no key with the token's `kid` is for its `alg`")
    }
    return index
  }

  /// The index of the only key of the set that can verify an algorithm.
  private func index(for algorithm: JWSAlgorithm) throws(AuthError) -> Int {
    let able = keys.indices.filter { keys[$0].verifies(algorithm) }
    let others = ambiguous.filter { $0.verifies(algorithm) }
    guard let index = only(able, beside: others) else {
      if let unusable { throw unusable }
      guard able.isEmpty, others.isEmpty, !keys.isEmpty else {
        throw AuthError(.unknownKey, "the token has no `kid`, and the set does not have exactly one key for its `alg`")
      }
      throw AuthError(.algorithmRefused, "no key of the set is for the token's `alg`")
    }
    return index
  }

  /// The indexes of the keys with an ID, and the ambiguous keys with it. Throws `unknownKey` if all are ambiguous, or
  /// there are none.
  private func keys(named keyID: String) throws(AuthError) -> (indexes: [Int], ambiguous: [JWK]) {
    guard let named = indexes[ExactText(keyID)] else { throw unknown(keyID) }
    return (named, ambiguous.isEmpty ? [] : ambiguous.filter { $0.keyID?.isExactly(keyID) == true })
  }

  /// The index of the key if all of these are the same key, with the same ID and issuer; `nil` otherwise.
  ///
  /// One key may be published several times, with and without `alg`. The one with the smallest JSON text is meant, so
  /// that the order of the set does not matter.
  private func only(_ able: [Int], beside others: [JWK]) -> Int? {
    guard let first = able.first, others.isEmpty else { return nil }
    guard able.count > 1 else { return first }
    guard able.allSatisfy({ keys[$0].isInterchangeable(with: keys[first]) }) else { return nil }
    return able.min { keys[$0].json.serialized().lexicographicallyPrecedes(keys[$1].json.serialized()) }
  }

  /// The set as JSON, for publishing: public keys only.
  public var json: JSONValue { ["keys": .array(keys.filter { $0.key.publicKey != nil }.map(\.json))] }

  /// The set as compact JSON in UTF-8: public keys only.
  public func serialized() -> [UInt8] { json.serialized() }

  /// Whether both have the same keys in any order, and the same omissions.
  func isSame(as other: JWKSet) -> Bool {
    Set(keys.map(\.json)) == Set(other.keys.map(\.json))
      && Set(ambiguous.map(\.json)) == Set(other.ambiguous.map(\.json)) && omissions == other.omissions
  }
}

// MARK: Reasons

extension JWKSet {
  /// The reason why no key of the set can be used; `nil` if one can, or if the set was published empty.
  package var unusable: AuthError? {
    guard keys.isEmpty, let first = omissions.first(where: { $0.member == nil }) else { return nil }
    let count = skipped == 1 ? "1 key was skipped" : "\(skipped) keys were skipped, the first one"
    return AuthError(.unknownKey, "the key set has no usable key: \(count) because: \(first.message)")
  }

  /// The reason why there is no key with an ID.
  private func unknown(_ keyID: String) -> AuthError {
    if let unusable { return unusable }
    if ambiguous.contains(where: { $0.keyID?.isExactly(keyID) == true }) { return Self.several }
    if let omission = omissions.first(where: { $0.member == nil && $0.keyID?.isExactly(keyID) == true }) {
      return AuthError(.unknownKey, "the key with the token's `kid` was skipped because: \(omission.message)")
    }
    return .unknownKey
  }

  /// Whether a set contains shared secrets. Keys that would be skipped also count: a set that mixes both kinds is
  /// invalid.
  private static func holdsSecrets(_ list: [JSONValue]) throws(AuthError) -> Bool {
    let secrets = list.count { $0["kty"]?.string == "oct" }
    guard secrets == 0 || secrets == list.count else { throw mixture }
    return secrets > 0
  }

  private static var several: AuthError {
    AuthError(.unknownKey, "more than one key of the set has the token's `kid` and is for its `alg`; none is used")
  }
  private static var tooMany: AuthError {
    AuthError(.keySetInvalid, "a key set must have at most \(maximumCount) keys")
  }
  private static var mixture: AuthError {
    AuthError(.keySetInvalid, "a key set must not mix shared secrets and public keys")
  }
  static var privateKey: AuthError {
    AuthError(.keySetInvalid, "a verification key set must not contain private keys")
  }
}

extension AuthError {
  /// No key of the set has the token's `kid`.
  static var unknownKey: AuthError { AuthError(.unknownKey, "no key of the set has the token's `kid`") }
}
