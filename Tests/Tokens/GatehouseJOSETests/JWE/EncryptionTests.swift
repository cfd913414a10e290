import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `An encrypted message` {
  @Test func `is known in every way that there is`() {
    // One RSA key with two algorithms, and four keys for agreement with four algorithms each; secrets wrap with two
    // algorithms, and encrypt directly if their length fits.
    #expect(EncryptionScene.ways.count == 2 * 6 + 4 * 4 * 6 + (12 + 1) + (12 + 1) + (12 + 2) + 1 + 1)
  }

  @Test(arguments: EncryptionScene.ways)
  func `is what it was, once it is decrypted`(way: EncryptionScene.Way) throws {
    let encrypter = try EncryptionScene.encrypter(way.name, way.algorithm, way.encryption)
    for plaintext in [[], [0], EncryptionScene.plaintext, Array(repeating: 7, count: 5000)] as [[UInt8]] {
      let message = try encrypter.encrypt(plaintext, type: "example", contentType: "text/plain")
      let decrypted = try EncryptionScene.decrypter.decrypt(message)
      #expect(decrypted.plaintext == plaintext)
      #expect(decrypted.header.algorithm == way.algorithm.rawValue)
      #expect(decrypted.header["enc"] == .string(way.encryption.rawValue))
      #expect(decrypted.header.keyID == way.name)
      #expect(decrypted.header.type == "example")
      #expect(decrypted.header["cty"] == "text/plain")
      #expect(try encrypter.encrypt(plaintext) != encrypter.encrypt(plaintext))
    }
  }

  @Test(arguments: EncryptionScene.ways)
  func `is not decrypted after any part of it was changed`(way: EncryptionScene.Way) throws {
    let message = try EncryptionScene.message(way.name, way.algorithm, way.encryption)
    let parts = message.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (place, part) in parts.enumerated() where place > 0 && !part.isEmpty {
      var bytes = try Base64URL.decode(part)
      for position in Set([0, bytes.count / 2, bytes.count - 1]) {
        bytes[position] ^= 1
        let changed = EncryptionScene.replacing(place, of: message, with: Base64URL.encode(bytes))
        #expect(EncryptionScene.refusal(of: changed) == .decryptionFailed, "part \(place), byte \(position)")
        bytes[position] ^= 1
      }
    }
    let changed = try EncryptionScene.rewriting(message) { $0["note"] = "not there before" }
    #expect(EncryptionScene.refusal(of: changed) == .decryptionFailed)
  }

  @Test(arguments: EncryptionScene.ways)
  func `is not decrypted with another key of its type`(way: EncryptionScene.Way) throws {
    let jwk = try EncryptionScene.jwk(way.name)
    let stranger: JWK.Key =
      switch jwk.key {
      case .symmetric(let key): .symmetric(try .generate(count: key.count))
      case .privateKey where way.name == "rsa": .privateKey(TokenScene.stranger)
      case .privateKey(let key): .privateKey(try .generate(key.type))
      case .publicKey(let key): .publicKey(key)
      }
    let keys = try DecryptionKeys([JWK(stranger, keyID: way.name)])
    let message = try EncryptionScene.message(way.name, way.algorithm, way.encryption)
    let decrypter = TokenDecrypter(keys: keys, policy: EncryptionScene.policy)
    #expect(EncryptionScene.refusal(of: message, by: decrypter) == .decryptionFailed)
  }

  @Test(arguments: [JWEAlgorithm.ECDHES, .ECDHESA256KW])
  func `says between whom it goes, and both names count`(algorithm: JWEAlgorithm) throws {
    var encrypter = try EncryptionScene.encrypter("x25519", algorithm, .A256GCM)
    encrypter.partyU = Array("Alice".utf8)
    encrypter.partyV = Array("Bob".utf8)
    let message = try encrypter.encrypt(EncryptionScene.plaintext)
    let decrypted = try EncryptionScene.decrypter.decrypt(message)
    #expect(decrypted.plaintext == EncryptionScene.plaintext)
    #expect(decrypted.header["apu"] == "QWxpY2U")
    #expect(decrypted.header["apv"] == "Qm9i")
    encrypter.partyV = Array(repeating: 1, count: 256)
    #expect(try EncryptionScene.refusal(of: encrypter.encrypt([1])) == nil)
    encrypter.partyV += [1]
    #expect(refusal { try encrypter.encrypt([1]) } == .invalidArgument)
  }

  @Test func `is encrypted in the usual way of its key when nobody asks for another`() throws {
    func ways(_ jwk: JWK) throws -> [String] {
      let encrypter = try TokenEncrypter(jwk)
      return [encrypter.algorithm.rawValue, encrypter.encryption.rawValue]
    }
    let secret = try SecretKey.generate(count: 32)
    #expect(try ways(EncryptionScene.jwk("rsa")) == ["RSA-OAEP-256", "A256GCM"])
    #expect(try ways(EncryptionScene.jwk("p521")) == ["ECDH-ES", "A256GCM"])
    #expect(try ways(EncryptionScene.jwk("16 bytes")) == ["dir", "A128GCM"])
    #expect(try ways(JWK(.symmetric(secret))) == ["dir", "A256GCM"])
    #expect(try ways(EncryptionScene.jwk("24 bytes")) == ["dir", "A192GCM"])
    #expect(try ways(EncryptionScene.jwk("48 bytes")) == ["dir", "A192CBC-HS384"])
    #expect(try ways(EncryptionScene.jwk("64 bytes")) == ["dir", "A256CBC-HS512"])
    #expect(try ways(JWK(.symmetric(secret), algorithm: .A256KW)) == ["A256KW", "A256GCM"])
    let key = try TokenEncrypter(key: TokenScene.rsa.publicKey, keyID: "rsa")
    #expect(try EncryptionScene.decrypter.decrypt(key.encrypt([1])).plaintext == [1])
    #expect(try TokenEncrypter(key: secret).algorithm == .dir)
  }
}
