public import GatehouseBase
import GatehouseCrypto

/// The keys that tokens are verified with (RFC 7517 §5): public keys, or shared secrets, never both.
///
/// A value: a verifier keeps the set that it was made with. Refused with `keySetInvalid` are a set of
/// more than 100 keys, two keys with one name, a private key, and shared secrets beside public keys. A
/// key that breaks a rule refuses the whole set, with the code that `JWK` gives for it; one of a kind that is not
/// known here, or not for signatures, is skipped and counted.
public struct JWKSet: Sendable {
  /// The keys, in the set's order.
  public let keys: [JWK]
  /// How many keys were of a kind that is not known here, or not for signatures.
  public let skipped: Int
  /// The indexes of the keys with names, by the name's bytes.
  private let indexes: [[UInt8]: Int]

  /// The most keys in a set.
  public static let maximumCount = 100

  /// A set of these keys. Throws `keySetInvalid` as the type says.
  public init(_ keys: [JWK]) throws(AuthError) { try self.init(keys, skipped: 0) }

  /// Reads a set from JSON text, strictly; `jsonTooLarge` beyond 256 KiB.
  public init(parsing bytes: some Sequence<UInt8>) throws(AuthError) {
    try self.init(JSONValue(parsing: bytes, limits: .keys))
  }

  /// Reads a set from JSON: an object with a member `keys`.
  public init(_ json: borrowing JSONValue) throws(AuthError) {
    // `borrowing`: see `JWK.init(_:)`.
    guard let list = json["keys"]?.array else {
      throw AuthError(.keySetInvalid, "expected a JWK set: an object with an array `keys`")
    }
    guard list.count <= Self.maximumCount else { throw Self.tooMany }
    try Self.refuseMixture(list)
    var keys: [JWK] = []
    var skipped = 0
    for element in list {
      guard element["kty"]?.string == "oct" || element["d"] == nil else { throw Self.privateKey }
      do {
        let key = try JWK(element)
        if key.isForSignatures { keys.append(key) } else { skipped += 1 }
      } catch {
        // Keys that are not meant for signatures are skipped, not validated.
        guard error.code == .keyUnsupported || element["use"] == "enc" else { throw error }
        skipped += 1
      }
    }
    try self.init(keys, skipped: skipped)
  }

  private init(_ keys: [JWK], skipped: Int) throws(AuthError) {
    guard keys.count <= Self.maximumCount else { throw Self.tooMany }
    var indexes: [[UInt8]: Int] = [:]
    for (index, key) in keys.enumerated() {
      if case .privateKey = key.key { throw Self.privateKey }
      try key.requireReadableKeyID()
      guard let keyID = key.keyID else { continue }
      guard indexes.updateValue(index, forKey: Array(keyID.utf8)) == nil else {
        throw AuthError(.keySetInvalid, "duplicate `kid` in the key set")
      }
    }
    let secrets = keys.count { $0.key.publicKey == nil }
    guard secrets == 0 || secrets == keys.count else { throw Self.mixture }
    self.keys = keys
    self.skipped = skipped
    self.indexes = indexes
  }

  /// The key with a name; `unknownKey` if there is none: no other key ever takes its place.
  ///
  /// Without a name it is the only key of the set, or `unknownKey` if there are more.
  public func key(named keyID: String?) throws(AuthError) -> JWK { keys[try index(named: keyID)] }

  /// The index of `key(named:)` in the set.
  func index(named keyID: String?) throws(AuthError) -> Int {
    guard let keyID else {
      guard keys.count == 1, skipped == 0 else {
        throw AuthError(.unknownKey, "the token has no `kid`, and the set does not have exactly one key")
      }
      return 0
    }
    guard let index = indexes[Array(keyID.utf8)] else {
      throw AuthError(.unknownKey, "no key of the set has the token's `kid`")
    }
    return index
  }

  /// The set as JSON, for publishing: public keys only.
  public var json: JSONValue { ["keys": .array(keys.filter { $0.key.publicKey != nil }.map(\.json))] }

  /// The set as compact JSON in UTF-8: public keys only.
  public func serialized() -> [UInt8] { json.serialized() }

  /// Also checks keys that would be skipped: a set that mixes both kinds is always invalid.
  private static func refuseMixture(_ list: [JSONValue]) throws(AuthError) {
    let secrets = list.count { $0["kty"]?.string == "oct" }
    guard secrets == 0 || secrets == list.count else { throw mixture }
  }

  private static var tooMany: AuthError {
    AuthError(.keySetInvalid, "a key set must have at most \(maximumCount) keys")
  }
  private static var mixture: AuthError {
    AuthError(.keySetInvalid, "a key set must not mix shared secrets and public keys")
  }
  private static var privateKey: AuthError {
    AuthError(.keySetInvalid, "a verification key set must not contain private keys")
  }
}
