import GatehouseBase
import GatehouseJOSE

/// A file with keys: PEM, a JWK, a JWK set, or certificates, whose chains are not verified.
struct KeyFile {
  let path: String
  private static let limit = 256 << 10

  /// Reads all keys of the file. In a set, keys of unknown kinds are left out, which is reported on standard error.
  ///
  /// - Parameter passphrase: where the passphrase of an encrypted key comes from. Without it encrypted keys are
  ///   refused.
  func keys(_ passphrase: PassphraseOptions?) throws -> [JWK] {
    let bytes = Array(try Input.file(path).bytes(limit: Self.limit).withoutByteOrderMark)
    do {
      guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return try pemKeys(bytes, passphrase) }
      guard try passphrase?.given() == nil else {
        throw AuthError(.keyInvalid, "the key is not encrypted; leave the passphrase out")
      }
      return try jsonKeys(bytes)
    } catch let error as AuthError {
      throw AuthError(error.code, "\(path): \(error.message)")
    }
  }

  /// Reads the key of a file that has only one.
  func key(_ passphrase: PassphraseOptions) throws -> JWK {
    let keys = try keys(passphrase)
    guard keys.count == 1 else {
      throw AuthError(.keySetInvalid, "\(path) has \(keys.count) keys; name a file with one")
    }
    return keys[0]
  }

  private func jsonKeys(_ bytes: [UInt8]) throws(AuthError) -> [JWK] {
    let json = try JSONValue(reading: bytes)
    guard let set = json["keys"] else { return [try typed { try JWK(json) }] }
    guard let list = set.array, list.count <= JWKSet.maximumCount else {
      throw AuthError(.keySetInvalid, "`keys` must be an array of at most \(JWKSet.maximumCount) keys")
    }
    var keys: [JWK] = []
    for element in list {
      do throws(AuthError) { keys.append(try typed { try JWK(element) }) } catch {
        guard error.code == .keyUnsupported else { throw error }
        StandardError.say("\(path): a key was left out: \(error.message)")
      }
    }
    return keys
  }

  private func pemKeys(_ bytes: [UInt8], _ passphrase: PassphraseOptions?) throws -> [JWK] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AuthError(.keyInvalid, "the file is neither PEM nor JSON")
    }
    guard !text.contains("-----BEGIN CERTIFICATE-----") else {
      return try X509Certificate.list(pem: text).map { try JWK(.publicKey($0.publicKey)).certified(by: [$0]) }
    }
    guard text.contains("PRIVATE KEY-----") else { return [try JWK(.publicKey(PublicKey(pem: text)))] }
    guard text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----"), let passphrase else {
      return [try JWK(.privateKey(PrivateKey(pem: Secret(text), passphrase: passphrase?.given())))]
    }
    let phrase = try passphrase.needed(for: path)
    do throws(AuthError) {
      return [try typed { try JWK(.privateKey(typed { try PrivateKey(pem: Secret(text), passphrase: phrase) })) }]
    } catch {
      guard error.code == .keyInvalid else { throw error }
      throw AuthError(.keyInvalid, "this passphrase does not open the key, or the file is damaged")
    }
  }
}
