import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

struct `Wycheproof's encryptions` {
  private static func have(_ name: String) -> ConditionTrait {
    .enabled(if: Vectors.has(name), "there is no file \(name): set GATEHOUSE_MORE_VECTORS")
  }

  /// Answers every test of a file, and counts the answers by result.
  private func answers(
    _ name: String, _ answer: (_ group: JSONValue, _ test: JSONValue) throws -> String
  ) throws -> [String: Int] {
    var seen: [String: Int] = [:]
    for group in try Vectors.groups(name) {
      for test in group.tests { seen[try answer(group, test), default: 0] += 1 }
    }
    return seen
  }

  private func sealAndOpen(_ cipher: AuthenticatedCipher, _ test: JSONValue) throws -> String {
    let key = SecretBytes(test.hex("key"))
    let sealed = SealedMessage(nonce: test.hex("iv"), ciphertext: test.hex("ct"), tag: test.hex("tag"))
    guard sealed.nonce.count == cipher.nonceLength else {
      #expect(
        refusal { try cipher.open(sealed, authenticating: test.hex("aad"), key: key) }
          == .decryptionFailed)
      return "nonce of another length"
    }
    guard test.result == "valid" else {
      #expect(
        refusal { try cipher.open(sealed, authenticating: test.hex("aad"), key: key) }
          == .decryptionFailed, "\(test.id)")
      return "refused"
    }
    #expect(
      try cipher.seal(test.hex("msg"), authenticating: test.hex("aad"), key: key, nonce: sealed.nonce) == sealed,
      "\(test.id)")
    #expect(try cipher.open(sealed, authenticating: test.hex("aad"), key: key) == test.hex("msg"), "\(test.id)")
    return "opened"
  }

  @Test(have("aes_gcm")) func `with AES-GCM are answered as they ask`() throws {
    let ciphers: [Int64: AuthenticatedCipher] = [128: .aes128GCM, 192: .aes192GCM, 256: .aes256GCM]
    let seen = try answers("aes_gcm") { group, test throws in
      try sealAndOpen(#require(ciphers[group["keySize"]?.integer ?? 0]), test)
    }
    #expect(seen == ["opened": 116, "refused": 81, "nonce of another length": 119])
  }

  @Test(have("a128cbc_hs256")) func `with A128CBC-HS256 are answered as they ask`() throws {
    let seen = try answers("a128cbc_hs256") { try sealAndOpen(.aes128CBCHMACSHA256, $1) }
    #expect(seen == ["opened": 67, "refused": 27])
  }

  @Test(have("a192cbc_hs384")) func `with A192CBC-HS384 are answered as they ask`() throws {
    let seen = try answers("a192cbc_hs384") { try sealAndOpen(.aes192CBCHMACSHA384, $1) }
    #expect(seen == ["opened": 67, "refused": 27])
  }

  @Test(have("a256cbc_hs512")) func `with A256CBC-HS512 are answered as they ask`() throws {
    let seen = try answers("a256cbc_hs512") { try sealAndOpen(.aes256CBCHMACSHA512, $1) }
    #expect(seen == ["opened": 67, "refused": 27])
  }

  @Test(have("aes_wrap")) func `with AES key wrap are answered as they ask`() throws {
    let seen = try answers("aes_wrap") { _, test throws in
      let wrappingKey = SecretBytes(test.hex("key"))
      guard test.result == "valid" else {
        // Of the tests whose result is optional (keys of 8 bytes), none is accepted.
        #expect(
          refusal { try KeyWrap.unwrap(test.hex("ct"), with: wrappingKey) }
            == .decryptionFailed, "\(test.id)")
        return test.result
      }
      #expect(try KeyWrap.wrap(SecretBytes(test.hex("msg")), with: wrappingKey) == test.hex("ct"), "\(test.id)")
      #expect(try KeyWrap.unwrap(test.hex("ct"), with: wrappingKey).revealed == test.hex("msg"), "\(test.id)")
      return "valid"
    }
    #expect(seen == ["valid": 36, "invalid": 126, "acceptable": 3])
  }

  @Test(have("rsa_oaep_2048_sha256_mgf1sha256")) func `with RSA-OAEP-256 are answered as they ask`() throws {
    #expect(
      try answersOfOAEP("rsa_oaep_2048_sha256_mgf1sha256", .sha256)
        == ["decrypted": 10, "refused": 19, "with a label": 8])
  }

  @Test(have("rsa_oaep_2048_sha1_mgf1sha1")) func `with RSA-OAEP and SHA-1 are answered as they ask`() throws {
    #expect(
      try answersOfOAEP("rsa_oaep_2048_sha1_mgf1sha1", .sha1)
        == ["decrypted": 10, "refused": 19, "with a label": 7])
  }

  private func answersOfOAEP(_ name: String, _ hash: OAEPHash) throws -> [String: Int] {
    try answers(name) { group, test throws in
      let key = try PrivateKey(pem: #require(group["privateKeyPem"]?.string))
      // JOSE has no labels: a ciphertext with a label does not decrypt.
      guard test.result == "valid", test.hex("label").isEmpty else {
        #expect(
          refusal { try key.decryptOAEP(test.hex("ct"), hash: hash) } == .decryptionFailed,
          "\(test.id)")
        return test.result == "valid" ? "with a label" : "refused"
      }
      #expect(try key.decryptOAEP(test.hex("ct"), hash: hash).revealed == test.hex("msg"), "\(test.id)")
      return "decrypted"
    }
  }
}
