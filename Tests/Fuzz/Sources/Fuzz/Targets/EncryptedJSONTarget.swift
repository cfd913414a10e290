import GatehouseBase
import GatehouseJOSE

/// Encrypted messages in JSON, flattened and general. A star in place of `protected`, `iv`, `ciphertext` or `tag`
/// stands for that of a good message, so that fuzzing gets past the tag.
enum EncryptedJSONTarget: Target {
  static let name = "encrypted-json"
  static let longest = 16_640

  private static let plaintext = Array("to be kept".utf8)
  private static let aad = Array("beside it".utf8)
  private static let key = sure {
    try JWK(.symmetric(SecretKey((0..<16).map { $0 &* 7 &+ 1 })), keyID: "16")
  }
  private static let keys = sure { try DecryptionKeys([key, Keys.ec]) }
  private static let decrypter = TokenDecrypter(
    keys: keys, policy: DecryptionPolicy(algorithms: Set(JWEAlgorithm.allCases)))
  private static let stranger = sure {
    TokenDecrypter(
      keys: try DecryptionKeys([JWK(.symmetric(.generate(count: 16)), keyID: "16")]), policy: decrypter.policy)
  }
  private static let encrypters = sure {
    [
      try TokenEncrypter(key, algorithm: .A128KW, encryption: .A128GCM),
      try TokenEncrypter(Keys.ec, algorithm: .ECDHESA128KW, encryption: .A128GCM),
      try TokenEncrypter(key, algorithm: .A128GCMKW, encryption: .A128GCM),
    ]
  }
  /// `alg` is in the recipients' headers here, so that inputs can choose them.
  private static let good = sure {
    try TokenEncrypter.encryptJSON(plaintext, to: encrypters, additionalData: aad)
  }

  static func check(_ input: [UInt8]) {
    let read = attempt { try JSONObject(parsing: input) }
    var message = read ?? [:]
    for name in ["protected", "iv", "ciphertext", "tag", "aad", "recipients"] where message[name] == "*" {
      message[name] = good[name]
    }
    let bytes = read == nil ? input : message.serialized()
    let decrypted = attempt { try decrypter.decrypt(json: bytes) }
    if let decrypted { check(decrypted, of: message) }
    let strange = attempt { try stranger.decrypt(json: bytes) }
    require(strange == nil, "nothing is good by a stranger's key")
  }

  private static func check(_ decrypted: DecryptedMessage, of message: JSONObject) {
    require(decrypted.plaintext == plaintext, "the message is one that was encrypted")
    let given = message["aad"]?.string
    require(decrypted.additionalData == (given == nil ? [] : aad), "the additional data is what was encrypted")
    require(decrypted.header["enc"] != nil, "`enc` is protected")
    for name in decrypted.unprotected.names {
      require(decrypted.header[name] == nil, "no name is in two parts")
      require(!["enc", "crit", "zip", "b64"].contains(name), "what changes the message is protected")
    }
    require((message["recipients"] == nil) || message["header"] == nil, "the two forms are not mixed")
    require((message["recipients"]?.array?.count ?? 1) <= TokenDecrypter.maximumRecipients, "recipients are few")
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    var made = [good]
    for encrypter in encrypters {
      for data in [[], aad] {
        made.append(
          sure {
            try encrypter.encryptJSON(plaintext, type: "a", additionalData: data, unprotected: ["x": 1])
          })
      }
    }
    let recipient = good["recipients"]?.array?.first ?? .null
    let stars: JSONObject = ["protected": "*", "iv": "*", "ciphertext": "*", "tag": "*", "aad": "*"]
    for (name, value) in [
      ("recipients", "*"), ("recipients", .array([recipient])),
      ("recipients", .array([["header": ["alg": "RSA1_5"]], recipient])),
    ] as [(String, JSONValue)] {
      var message = stars
      message[name] = value
      made.append(message)
      message["unprotected"] = ["note": ["a": 1]]
      made.append(message)
    }
    var flattened = stars
    for name in ["header", "encrypted_key"] { flattened[name] = recipient[name] }
    made.append(flattened)
    return made.map { $0.serialized() } + harvest.encryptedMessages.map { $0.serialized() }
  }
}
