import GatehouseJOSE

/// Sets of keys: for verifying, and for decrypting.
enum KeySetTarget: Target {
  static let name = "jwks"
  static let longest = 32 << 10
  static let patience = 30

  static func check(_ input: [UInt8]) {
    if let set = attempt({ try JWKSet(parsing: input) }) { check(set) }
    guard let keys = attempt({ try DecryptionKeys(parsing: input) }) else { return }
    require(keys.keys.count <= JWKSet.maximumCount, "a set is not too large")
    for key in keys.keys where key.keyID != nil {
      let found = attempt { try keys.key(named: key.keyID) }
      require(found?.json == key.json, "a key is found by its name")
    }
  }

  private static func check(_ set: JWKSet) {
    require(set.keys.count + set.skipped <= JWKSet.maximumCount, "a set is not too large")
    for key in set.keys {
      if case .privateKey = key.key { require(false, "a set for verifying has no private keys") }
      let found = attempt { try set.key(named: key.keyID) }
      require(key.keyID == nil || found?.json == key.json, "a key is found by its name")
      require(key.keyID != nil || found == nil || set.keys.count == 1, "a key without a name is found alone")
    }
    require(attempt { try set.key(named: "nobody has this name") } == nil, "no default key")
    for omission in set.omissions {
      require((0..<JWKSet.maximumCount).contains(omission.index), "an omission is of a key of the set")
      require(!omission.message.contains("\n"), "a reason is one line")
    }
    guard set.keys.allSatisfy({ $0.key.publicKey != nil }) else {
      return require(set.json["keys"] == [], "secrets are not published")
    }
    let again = attempt { try JWKSet(parsing: set.serialized()) }
    require(again?.json == set.json && again?.omissions == [], "what is written is read as the same set")
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let unknown: JSONValue = ["kty": "new"]
    let mixed = (Keys.publicSet.json["keys"]?.array ?? []) + [unknown]
    let made: [JSONValue] = [
      Keys.publicSet.json, ["keys": []], ["keys": .array(mixed)],
      ["keys": [sure { try Keys.secret.jsonRevealingSecrets() }]],
    ]
    let alone = harvest.keys.map { JSONObject(["keys": .array([.object($0)])]) }
    return made.map { $0.serialized() } + (harvest.keySets + alone).map { $0.serialized() }
  }
}
