import GatehouseBase
import GatehouseCrypto

/// The keys for decrypting messages: private keys and shared secrets, by key ID.
///
/// Throws `keySetInvalid` for more than 100 keys, two keys with one ID and a common algorithm, and keys that decrypt
/// nothing: public keys, and keys for signatures. Each key supports only the algorithms that its type, `alg`, `use` and
/// `key_ops` allow.
public struct DecryptionKeys: Sendable {
  /// The keys, in their order.
  public let keys: [JWK]
  /// The number of keys in a parsed set that were of an unsupported kind, or for signatures.
  public let skipped: Int
  /// The indexes of the keys with IDs, by the ID.
  private let indexes: [ExactText: [Int]]

  /// Makes a set of keys. Throws `keySetInvalid` as the type describes.
  public init(_ keys: [JWK]) throws { try self.init(keys, skipped: 0) }

  /// Reads a set of keys from JSON text, strictly. Throws `jsonTooLarge` beyond 256 KiB. Keys for signatures, and of
  /// unsupported kinds, are skipped and counted; a public key makes the set invalid.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    let json = try JSONValue(reading: bytes, limits: .keys)
    guard let list = json["keys"]?.array, list.count <= JWKSet.maximumCount else {
      throw AuthError(
        .keySetInvalid, "expected a JWK set: an object with an array `keys` of at most \(JWKSet.maximumCount) keys")
    }
    var keys: [JWK] = []
    var skipped = 0
    for element in list {
      do throws(AuthError) {
        let key = try typed { try JWK(element) }
        if key.isOnlyForSignatures { skipped += 1 } else { keys.append(key) }
      } catch {
        guard error.code == .keyUnsupported else { throw error }
        skipped += 1
      }
    }
    try self.init(keys, skipped: skipped)
  }

  private init(_ keys: [JWK], skipped: Int) throws(AuthError) {
    guard keys.count <= JWKSet.maximumCount else {
      throw AuthError(.keySetInvalid, "more than \(JWKSet.maximumCount) keys")
    }
    var indexes: [ExactText: [Int]] = [:]
    for (index, key) in keys.enumerated() {
      guard key.decryptsAnything else {
        throw AuthError(.keySetInvalid, "a key of the set cannot be used for decryption")
      }
      guard let keyID = key.keyID else { continue }
      let namesakes = indexes[ExactText(keyID), default: []]
      guard !namesakes.contains(where: { keys[$0].sharesDecryption(with: key) }) else {
        throw AuthError(.keySetInvalid, "two keys of the set have the same `kid` and a common `alg`")
      }
      indexes[ExactText(keyID)] = namesakes + [index]
    }
    self.keys = keys
    self.skipped = skipped
    self.indexes = indexes
  }

  /// Returns the key with an ID. Throws `unknownKey` if there is none: no other key ever replaces it. Throws it too if
  /// several keys have the ID: look one of them up with its algorithms.
  ///
  /// Without an ID, returns the only key; throws `unknownKey` if there are more, or keys were skipped.
  public func key(named keyID: String?) throws -> JWK {
    guard let keyID else {
      guard keys.count == 1, skipped == 0 else {
        throw AuthError(.unknownKey, "the message has no `kid`, and the set does not have exactly one key")
      }
      return keys[0]
    }
    let named = try keys(named: keyID)
    guard named.count == 1 else {
      throw AuthError(.unknownKey, "more than one key of the set has the message's `kid`")
    }
    return named[0]
  }

  /// Returns the key for a message's `kid`, `alg` and `enc`.
  ///
  /// With an ID it is the key with this ID that supports the algorithms; without one, the only key of the set. Throws
  /// `unknownKey` if there is no such key, or more than one without an ID, and `algorithmRefused` if the key, or every
  /// key, does not support the algorithms.
  public func key(
    named keyID: String?, for algorithm: JWEAlgorithm, _ encryption: ContentEncryption
  ) throws -> JWK {
    if let keyID {
      guard let key = try keys(named: keyID).first(where: { $0.decrypts(algorithm, encryption) }) else {
        throw AuthError(.algorithmRefused, "the key is not for the message's `alg` and `enc`")
      }
      return key
    }
    let able = keys.filter { $0.decrypts(algorithm, encryption) }
    guard let key = able.first else {
      throw AuthError(.algorithmRefused, "no key of the set is for the message's `alg` and `enc`")
    }
    guard able.count == 1 else {
      throw AuthError(.unknownKey, "the message has no `kid`, and the set has more than one key for its `alg`")
    }
    return key
  }

  private func keys(named keyID: String) throws(AuthError) -> [JWK] {
    guard let named = indexes[ExactText(keyID)] else {
      throw AuthError(.unknownKey, "no key of the set has the message's `kid`")
    }
    return named.map { keys[$0] }
  }
}

extension JWK {
  fileprivate var isOnlyForSignatures: Bool {
    if case .signature? = algorithm { return true }
    return use == "sig" || !JWEAlgorithm.allCases.contains(where: key.serves)
  }

  fileprivate var decryptsAnything: Bool { sharesDecryption(with: self) }

  /// Whether both keys decrypt messages of the same algorithms.
  fileprivate func sharesDecryption(with other: JWK) -> Bool {
    JWEAlgorithm.allCases.contains { algorithm in
      ContentEncryption.allCases.contains { decrypts(algorithm, $0) && other.decrypts(algorithm, $0) }
    }
  }
}
