import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

/// The formats in which other programs write keys; the fixtures are OpenSSL's.
struct `A key in PEM` {
  private func refusal(_ pem: String, _ passphrase: String? = nil) -> AuthError? {
    do throws(AuthError) {
      _ = try typed { try PrivateKey(pem: Secret(pem), passphrase: passphrase.map(Secret.init)) }
      return nil
    } catch { return error }
  }

  @Test func `is read in each of its forms, and is the same key in all of them`() throws {
    let rsa = try PrivateKey(pem: PEMFixture.rsa)
    #expect(rsa.type == .rsa(bits: 2048))
    #expect(try PrivateKey(pem: PEMFixture.rsaPKCS1).publicKey == rsa.publicKey)
    #expect(try PublicKey(pem: PEMFixture.rsaPublic) == rsa.publicKey)
    #expect(try PublicKey(pem: PEMFixture.rsaPublicPKCS1) == rsa.publicKey)
    let ec = try PrivateKey(pem: PEMFixture.ec)
    #expect(ec.type == .p256)
    #expect(try PrivateKey(pem: PEMFixture.ecSEC1).publicKey == ec.publicKey)
    #expect(try PublicKey(pem: PEMFixture.ecPublic) == ec.publicKey)
    #expect(try PrivateKey(pem: PEMFixture.ecParameters).type == .p256)
    let ed25519 = try PrivateKey(pem: PEMFixture.ed25519)
    #expect(ed25519.type == .ed25519)
    #expect(try PublicKey(pem: PEMFixture.ed25519Public) == ed25519.publicKey)
    for key in [rsa, ec, ed25519] { #expect(try PrivateKey(key.revealedParameters()).publicKey == key.publicKey) }
  }

  // Found by fuzzing.
  @Test func `a block that is only nearly one of EC parameters counts as a block`() {
    let text = PEMFixture.ecParameters.replacing("BEGIN EC PARAMETERS-----", with: "BEGIN EC PARAMETERS-/----")
    #expect(throws: AuthError.self) { try PrivateKey(pem: text) }
  }

  @Test func `is read with other ends of lines, and text around it`() throws {
    let pem = PEMFixture.ec
    let texts: [String] = [
      pem.replacing("\n", with: "\r\n"), "\n\n\(pem)", "\(pem)\n \n", "A key:\n\(pem)that was all\n",
      String(pem.dropLast()),
    ]
    for text in texts { #expect(refusal(text) == nil) }
  }

  @Test func `without its line breaks is refused, with the reason`() {
    for (text, words) in [
      (PEMFixture.ec.replacing("\n", with: "\\n"), "two characters"),
      (PEMFixture.ec.replacing("\n", with: " "), "no line break"),
      (PEMFixture.ecPublic.replacing("\n", with: ""), "no line break"),
    ] {
      let error = #expect(throws: AuthError.self) {
        if text.contains("PUBLIC") { _ = try PublicKey(pem: text) } else { _ = try PrivateKey(pem: text) }
      }
      #expect(error?.code == .keyInvalid && error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }

  /// RFC 8410 §10.3 has the first; the others are the same key without attributes, and with a wrong half.
  @Test func `with its public half is read, and refused if that is another one`() throws {
    let key = try PrivateKey(pem: PEMFixture.ed25519WithPublic)
    #expect(try PrivateKey(pem: PEMFixture.ed25519WithPublicAlone).pem() == key.pem())
    #expect(key.type == .ed25519)
    let error = refusal(PEMFixture.ed25519WithPublicAlone.replacing("Gb9E", with: "Gb9F"))
    #expect(error?.code == .keyInvalid && error?.message.contains("public half") == true)
    for broken in ["MHECAQE", "MHICAQI", "MHICBQE", "MFECAQE"] {
      #expect(refusal(PEMFixture.ed25519WithPublic.replacing("MHICAQE", with: broken)) != nil)
    }
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `with its public half is read for a curve and for RSA, too`() throws {
    for pem in [PEMFixture.ecWithPublic, PEMFixture.rsaWithPublic] {
      let key = try PrivateKey(pem: pem)
      #expect(try PrivateKey(pem: key.pem()).publicKey == key.publicKey)
    }
  }

  @Test func `that is encrypted is read with its passphrase, and with no other`() throws {
    let key = try PrivateKey(pem: Secret(PEMFixture.ecEncrypted), passphrase: Secret("correct"))
    #expect(try key.publicKey == PublicKey(pem: PEMFixture.ecPublic))
    #expect(refusal(PEMFixture.ecEncrypted)?.code == .keyUnsupported)
    for wrong in ["wrong", "Correct", "correct ", "c", String(repeating: "x", count: 1024)] {
      let error = try #require(refusal(PEMFixture.ecEncrypted, wrong))
      #expect(error.code == .keyInvalid)
      #expect(!error.message.contains(wrong) || wrong == "c")
      #expect(OpenSSLErrors.areNone)
    }
    for wrong in ["", "a\0b", String(repeating: "x", count: 1025)] {
      #expect(refusal(PEMFixture.ecEncrypted, wrong)?.code == .invalidArgument)
    }
    #expect(refusal(PEMFixture.ec, "correct")?.code == .keyInvalid)
    // OpenSSL's older format, which hashes its passphrase once.
    #expect(refusal(PEMFixture.ecLegacy, "correct") != nil)
    #expect(refusal(PEMFixture.ecLegacy) != nil)
  }

  @Test func `comes back from what is written, encrypted or not`() throws {
    for pem in [PEMFixture.rsa, PEMFixture.ec, PEMFixture.ed25519] {
      let key = try PrivateKey(pem: pem)
      let plain = try key.pem()
      #expect(plain.revealed.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
      #expect(plain.revealed == pem)
      #expect(try PublicKey(pem: key.publicKey.pem()) == key.publicKey)
    }
    let key = try PrivateKey(pem: PEMFixture.ec)
    let phrase = Secret("caf\u{E9} \u{1F600}")
    let encrypted = try key.pem(passphrase: phrase)
    #expect(encrypted.revealed.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
    #expect(try PrivateKey(pem: encrypted, passphrase: phrase).publicKey == key.publicKey)
    // A passphrase is compared as bytes, too.
    #expect(refusal(encrypted.revealed, "cafe\u{301} \u{1F600}")?.code == .keyInvalid)
    #expect(refusal(encrypted.revealed)?.code == .keyUnsupported)
    #expect(TestSupport.refusal { try key.pem(passphrase: Secret("")) } == .invalidArgument)
  }

  @Test func `is refused if it is weak, or of a kind that is not known (group 18)`() {
    #expect(refusal(PEMFixture.weak)?.code == .keyInvalid)
    #expect(refusal(PEMFixture.p224)?.code == .keyUnsupported)
    // P-256, given by its parameters instead of its name.
    #expect(refusal(PEMFixture.ecExplicit)?.code == .keyUnsupported)
    for (pem, code) in [
      (PEMFixture.weakPublic, .keyInvalid), (PEMFixture.pssPublic, .keyUnsupported), (PEMFixture.ec, .keyInvalid),
      (PEMFixture.ecSEC1, .keyInvalid), (PEMFixture.rsaPKCS1, .keyInvalid), (PEMFixture.ecEncrypted, .keyInvalid),
    ] as [(String, AuthError.Code)] {
      #expect(TestSupport.refusal { try PublicKey(pem: pem) } == code)
    }
    for pem in [PEMFixture.rsaPublic, PEMFixture.ecPublic] { #expect(refusal(pem)?.code == .keyInvalid) }
    #expect(refusal(PEMFixture.rsaPublicPKCS1) != nil)
  }

  @Test func `is refused if it is not whole, not alone, or not what it says`() throws {
    let list = PEMFixture.ec.split(separator: "\n")
    let texts: [String] = [
      list.dropLast().joined(separator: "\n"), list.dropFirst().joined(separator: "\n"),
      ([list[0]] + list.dropFirst(2)).joined(separator: "\n"), PEMFixture.ec + PEMFixture.ed25519,
      PEMFixture.ec.replacing("PRIVATE", with: "PUBLIC"),
      PEMFixture.ed25519.replacing(" PRIVATE", with: " RSA PRIVATE"),
      String(repeating: "\n", count: 64 << 10) + PEMFixture.ec,
      PEMFixture.ec.replacing("-----BEGIN", with: "----BEGIN"),
    ]
    for text in texts {
      #expect(refusal(text) != nil, "\(text.prefix(60))")
      #expect(OpenSSLErrors.areNone)
    }
  }
}
