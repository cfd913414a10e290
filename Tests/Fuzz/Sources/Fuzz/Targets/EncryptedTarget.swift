import GatehouseBase
import GatehouseJOSE

/// Encrypted messages. What begins with a brace is a header, and everything else of a message is made for it.
enum EncryptedTarget: Target {
  static let name = "encrypted"
  static let longest = 16_640

  private static let plaintext = Array("to be kept".utf8)
  private static let keys = sure {
    try DecryptionKeys([
      JWK(.symmetric(secret(16)), keyID: "16"), JWK(.symmetric(secret(24)), keyID: "24"),
      JWK(.symmetric(secret(32)), keyID: "32"), JWK(.symmetric(secret(48)), keyID: "48"),
      JWK(.symmetric(secret(64)), keyID: "64"), Keys.ec, Keys.rsa, JWK(.privateKey(.generate(.okp(.x25519)))),
    ])
  }
  private static let decrypter = TokenDecrypter(
    keys: keys, policy: DecryptionPolicy(algorithms: Set(JWEAlgorithm.allCases)))
  private static let encrypter = sure {
    try TokenEncrypter(key: secret(32), algorithm: .dir, encryption: .A256GCM, keyID: "32")
  }

  private static func secret(_ count: Int) throws -> SecretKey {
    try SecretKey((0..<UInt8(count)).map { $0 &* 7 &+ 1 })
  }

  static func check(_ input: [UInt8]) {
    guard input.first == UInt8(ascii: "{") else { return check(String(decoding: input, as: UTF8.self)) }
    guard let header = try? JSONObject(parsing: input), let message = message(under: header) else { return }
    let spelled = Base64URL.encodedCount(header.serialized().count)
    let decrypted = attempt { try decrypter.decrypt(message) }
    let isGood =
      // Without a `kid` it is the only key for the algorithms.
      header["alg"] == "dir" && header["enc"] == "A256GCM" && (header["kid"] ?? "32") == "32"
      && header["crit"] == nil && header["zip"] == nil && (header["typ"] ?? "").string != nil
      && spelled <= TokenLimits.standard.header
    require((decrypted != nil) == isGood, "a header is accepted by the rules")
    require(decrypted == nil || decrypted?.plaintext == plaintext, "the message is what was encrypted")
  }

  private static func check(_ message: String) {
    guard let decrypted = attempt({ try decrypter.decrypt(message) }) else { return }
    require(decrypted.plaintext == plaintext, "the message is one that was encrypted")
  }

  /// A message of the secret with 32 bytes under a header, whatever that says.
  private static func message(under header: JSONObject) -> String? {
    attempt {
      try encrypter.encrypt(
        plaintext, header: header, randomness: EncryptionRandomness(nonce: Array(repeating: 9, count: 12)))
    }
  }

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    var made: [String] = []
    for key in keys.keys {
      for algorithm in JWEAlgorithm.allCases {
        for encryption in ContentEncryption.allCases {
          guard let encrypter = try? TokenEncrypter(key, algorithm: algorithm, encryption: encryption) else { continue }
          made.append(sure { try encrypter.encrypt(plaintext) })
        }
      }
    }
    let headers = [
      #"{"alg":"dir","enc":"A256GCM","kid":"32"}"#, #"{"alg":"dir","enc":"A256GCM","kid":"32","zip":"DEF"}"#,
      #"{"alg":"A256KW","enc":"A256GCM","kid":"32"}"#,
      #"{"alg":"ECDH-ES","enc":"A256GCM","kid":"ec","epk":\#(Keys.ec.json)}"#,
      #"{"alg":"dir","enc":"A256GCM","kid":"32","crit":["a"],"a":1,"typ":"JWT","apu":"QQ"}"#,
    ]
    return (made + headers + harvest.encrypted).map { Array($0.utf8) }
  }
}
