import GatehouseBase
import GatehouseCrypto

/// The header members of an agreed key (RFC 7518 §4.6.1): one side's ephemeral key, and the names of both sides, which
/// enter the derived key.
struct KeyAgreement {
  let ephemeralKey: PublicKey
  let partyU: [UInt8]
  let partyV: [UInt8]

  /// The maximum length of a side's name, in bytes.
  static let maximumPartyLength = 256

  init(ephemeralKey: PublicKey, partyU: [UInt8], partyV: [UInt8]) {
    self.ephemeralKey = ephemeralKey
    self.partyU = partyU
    self.partyV = partyV
  }

  /// Reads `epk`, `apu` and `apv`. Throws `headerInvalid` unless the key is public, valid, and of the receiver's type.
  init(_ header: JSONObject, type: KeyType) throws(AuthError) {
    ephemeralKey = try Self.publicKey(header["epk"], type: type)
    partyU = try Self.party("apu", in: header)
    partyV = try Self.party("apv", in: header)
  }

  /// The header members with these values.
  var members: JSONObject {
    get throws(AuthError) {
      var members: JSONObject = ["epk": try typed { try JWK(.publicKey(ephemeralKey)).json }]
      if !partyU.isEmpty { members["apu"] = .string(Base64URL.encode(partyU)) }
      if !partyV.isEmpty { members["apv"] = .string(Base64URL.encode(partyV)) }
      return members
    }
  }

  /// The key that both sides derive: the content encryption key, or one that wraps it.
  func key(
    _ own: PrivateKey, _ other: PublicKey, _ algorithm: JWEAlgorithm, _ encryption: ContentEncryption
  ) throws(AuthError) -> SecretBytes {
    let wrapping = algorithm.agreedWrappingLength
    return try ConcatKDF.derive(
      from: own.agree(with: other), algorithm: wrapping == nil ? encryption.rawValue : algorithm.rawValue,
      partyU: partyU, partyV: partyV, count: wrapping ?? encryption.cipher.keyLength)
  }

  private static func publicKey(_ json: JSONValue?, type: KeyType) throws(AuthError) -> PublicKey {
    guard let json, json["d"] == nil else {
      throw AuthError(.headerInvalid, "`epk` is missing or is not a public key")
    }
    let key: JWK.Key
    do { key = try typed { try JWK(json).key } } catch {
      throw AuthError(.headerInvalid, "invalid `epk`: \(error.message)")
    }
    guard case .publicKey(let key) = key, key.type == type else {
      throw AuthError(.headerInvalid, "`epk` is not on the curve of the receiver's key")
    }
    return key
  }

  private static func party(_ name: String, in header: JSONObject) throws(AuthError) -> [UInt8] {
    guard let value = header[name] else { return [] }
    guard let text = value.string, text.utf8.count <= Base64URL.encodedCount(maximumPartyLength) else {
      throw AuthError(.headerInvalid, "`\(name)` must be a string of at most \(maximumPartyLength) bytes")
    }
    return try Base64URL.bytes(of: text)
  }
}
