import GatehouseJOSE

/// A file with keys: one in PEM, a JWK, or a set of JWKs.
struct KeyFile {
  let path: String
  private static let limit = 256 << 10

  /// All keys; of a set, those of kinds that are not known here are left out, which is said on standard error.
  ///
  /// - Parameter passphrase: where that of an encrypted key comes from; without it such keys are refused.
  func keys(_ passphrase: PassphraseOptions?) throws -> [JWK] {
    let bytes = try Input.file(path).bytes(limit: Self.limit)
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw AuthError(.keyInvalid, "\(path) is neither PEM nor JSON")
      }
      return [try JWK(pem(Secret(text), passphrase))]
    }
    guard try passphrase?.given() == nil else {
      throw AuthError(.keyInvalid, "a passphrase was given, and \(path) is not encrypted")
    }
    let json = try JSONValue(parsing: bytes)
    guard let set = json["keys"] else { return [try JWK(json)] }
    return try keys(of: set)
  }

  /// The one key of the file.
  func key(_ passphrase: PassphraseOptions) throws -> JWK {
    let keys = try keys(passphrase)
    guard keys.count == 1 else {
      throw AuthError(.keySetInvalid, "\(path) has \(keys.count) keys, and one is asked for")
    }
    return keys[0]
  }

  private func keys(of set: JSONValue) throws(AuthError) -> [JWK] {
    guard let list = set.array, list.count <= JWKSet.limit else {
      throw AuthError(.keySetInvalid, "\(path) is no list of at most \(JWKSet.limit) keys")
    }
    var keys: [JWK] = []
    for element in list {
      do throws(AuthError) { keys.append(try JWK(element)) } catch {
        guard error.code == .keyUnsupported else { throw error }
        StandardError.say("\(path): a key was left out: \(error.message)")
      }
    }
    return keys
  }

  private func pem(_ text: Secret, _ passphrase: PassphraseOptions?) throws -> JWK.Key {
    guard text.revealed.contains("PRIVATE KEY-----") else { return .publicKey(try PublicKey(pem: text.revealed)) }
    let isEncrypted = text.revealed.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----")
    let passphrase = try isEncrypted ? passphrase?.needed(for: path) : passphrase?.given()
    return .privateKey(try PrivateKey(pem: text, passphrase: passphrase))
  }
}
