import GatehouseJOSE

/// Keys in JSON: what is accepted is written so that it is read as the same key.
enum KeyTarget: Target {
  static let name = "jwk"
  static let longest = 12 << 10
  /// OpenSSL looks whether the primes of an RSA key of 8192 bits are primes.
  static let patience = 30

  static func check(_ input: [UInt8]) {
    guard let key = attempt({ try JWK(parsing: input) }) else { return }
    check(key, readFrom: input)
    let json = key.json
    for name in ["d", "p", "q", "dp", "dq", "qi", "k"] { require(json[name] == nil, "secrets are not published") }
    guard let publicKey = key.publicJWK else { return }
    let read = attempt { try JWK(json) }
    require(read?.json == json && publicKey.json == json, "the public half is read as it was written")
    require(read?.key.publicKey == key.key.publicKey, "it is the same key")
  }

  /// What a key is made of and what it may be used for; everything else is ignored.
  private static let members = [
    "kty", "kid", "alg", "use", "key_ops", "crv", "x", "y", "n", "e", "d", "p", "q", "dp", "dq", "qi", "k",
  ]

  private static func check(_ key: JWK, readFrom input: [UInt8]) {
    let whole = sure { try key.jsonRevealingSecrets() }
    let given = try? JSONObject(parsing: input)
    // A point has a curve, and a secret has none: what does not belong to the type is ignored as well.
    for name in members where whole[name] != nil || name.utf8.count > 2 && name != "crv" {
      require(whole[name] == given?[name], "\(name) is written as it was read")
    }
    let again = attempt { try JWK(parsing: whole.serialized()) }
    require(again != nil, "what is written is read")
    require(attempt { try again?.jsonRevealingSecrets() } == whole, "as the same key")
    let thumbprint = attempt { try key.thumbprint() }
    require(thumbprint?.utf8.count == 43, "every key has a thumbprint")
    require(attempt { try again?.thumbprint() } == thumbprint, "which stays the same")
    for algorithm in JWSAlgorithm.allCases where key.signs(algorithm) {
      require(key.verifies(algorithm) || key.operations != nil, "a key that signs also verifies")
      require((try? TokenSigner(key, algorithm: algorithm)) != nil, "a key that signs makes a signer")
    }
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let own = [Keys.secret, Keys.ed25519, Keys.ec, Keys.rsa]
    let made = KeyTypes.small.map { type in sure { try PrivateKey.generate(type) } }
    let keys =
      own + made.map { key in sure { try JWK(.privateKey(key), keyID: "k", use: "sig") } }
    let written = keys.flatMap { key in
      [key.json, sure { try key.jsonRevealingSecrets() }].map { $0.serialized() }
    }
    return written + harvest.keys.map { $0.serialized() }
  }
}

/// Kinds of keys that are made quickly.
enum KeyTypes {
  static let small: [KeyType] =
    EllipticCurve.allCases.map(KeyType.ec) + OKPCurve.allCases.map(KeyType.okp)
}
