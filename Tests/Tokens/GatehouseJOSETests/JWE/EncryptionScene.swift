import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

/// One key of each kind for encryption, generated once; each has a name.
enum EncryptionScene {
  /// A combination of algorithms for encrypting with one of the keys.
  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    let algorithm: JWEAlgorithm
    let encryption: ContentEncryption

    var testDescription: String { "\(algorithm.rawValue) \(encryption.rawValue) \(name)" }
  }

  static let jwks: [JWK] = made {
    let pairs = try [("p256", KeyType.p256), ("p384", .p384), ("p521", .p521), ("x25519", .x25519)]
      .map { try JWK(.privateKey(.generate($0.1)), keyID: $0.0) }
    let secrets = try [16, 24, 32, 48, 64].map { try JWK(.symmetric(.generate(count: $0)), keyID: "\($0) bytes") }
    return try [JWK(.privateKey(TokenScene.rsa), keyID: "rsa")] + pairs + secrets
  }

  /// Every algorithm with every suitable key.
  static let ways: [Way] = jwks.flatMap { jwk in
    JWEAlgorithm.allCases.flatMap { algorithm in
      ContentEncryption.allCases.compactMap { encryption in
        guard jwk.encrypts(algorithm, encryption), let name = jwk.keyID else { return nil }
        return Way(name: name, algorithm: algorithm, encryption: encryption)
      }
    }
  }

  static let policy = DecryptionPolicy(algorithms: Set(JWEAlgorithm.allCases))
  static let decrypter = TokenDecrypter(keys: made { try DecryptionKeys(jwks) }, policy: policy)

  static let plaintext = Array("Nobody reads this: é, e\u{301}, \0.".utf8)

  static func jwk(_ name: String) throws -> JWK { try #require(jwks.first { $0.keyID == name }) }

  static func encrypter(
    _ name: String, _ algorithm: JWEAlgorithm, _ encryption: ContentEncryption
  ) throws -> TokenEncrypter {
    try TokenEncrypter(jwk(name), algorithm: algorithm, encryption: encryption)
  }

  /// A message encrypted in the default way for most tests.
  static func message(
    _ name: String = "16 bytes", _ algorithm: JWEAlgorithm = .A128KW, _ encryption: ContentEncryption = .A128GCM
  ) throws -> String {
    try encrypter(name, algorithm, encryption).encrypt(plaintext)
  }

  /// A message in whose header some members were replaced or removed before encryption.
  static func message(
    _ name: String = "16 bytes", _ algorithm: JWEAlgorithm = .A128KW, _ encryption: ContentEncryption = .A128GCM,
    with changes: KeyValuePairs<String, JSONValue?>
  ) throws -> String {
    var header: JSONObject = [
      "alg": .string(algorithm.rawValue), "enc": .string(encryption.rawValue), "kid": .string(name),
    ]
    for (name, value) in changes { header[name] = value }
    return try encrypter(name, algorithm, encryption)
      .encrypt(plaintext, header: header, randomness: EncryptionRandomness())
  }

  /// A message with one part replaced.
  static func replacing(_ place: Int, of message: String, with part: String) -> String {
    var parts = message.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    parts[place] = part
    return parts.joined(separator: ".")
  }

  /// A message whose header was rewritten after encryption.
  static func rewriting(_ message: String, _ change: (inout JSONObject) -> Void) throws -> String {
    let parts = message.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var header = try JSONObject(parsing: Base64URL.decode(parts[0]))
    change(&header)
    return replacing(0, of: message, with: Base64URL.encode(header.serialized()))
  }

  /// The error with which the decrypter rejects a message; `nil` if it accepts the message.
  static func refusal(of message: String, by decrypter: TokenDecrypter = decrypter) -> AuthError.Code? {
    TestSupport.refusal { try decrypter.decrypt(message) }
  }

  /// Returns a value that the tests require.
  static func made<Value>(_ body: () throws -> Value) -> Value {
    do { return try body() } catch { fatalError("the scene cannot be set: \(error)") }
  }
}
