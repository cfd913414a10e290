import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

extension Certificate {
  init(_ fixture: CertificateFixture) throws(AuthError) { try self.init(pem: fixture.rawValue) }
}

@Suite struct `A certificate` {
  @Test func `tells whose it is, until when, and its fingerprint`() throws {
    let leaf = try Certificate(.leaf)
    #expect(leaf.subject == "CN=leaf,O=Gatehouse tests")
    #expect(leaf.names == ["tokens.example.org", "*.example.net"])
    #expect(leaf.sha256Fingerprint == (try HashFunction.sha256.hash(leaf.der)))
    #expect(leaf.notAfter - leaf.notBefore == 36_500 * 86_400)
    #expect((1_700_000_000..<1_900_000_000).contains(leaf.notBefore))
    #expect(try Certificate(.plain).names == [])
  }

  @Test func `gives the key that it is about, if its kind is known and it breaks no rule`() throws {
    #expect(try Certificate(.leaf).publicKey.type == .p256)
    #expect(try Certificate(.ed25519).publicKey.type == .ed25519)
    #expect(try Certificate(.rsa).publicKey.type == .rsa(bits: 2048))
    #expect(refusal { () throws(AuthError) in try Certificate(.weak).publicKey } == .keyInvalid)
    #expect(refusal { () throws(AuthError) in try Certificate(.p224).publicKey } == .keyUnsupported)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `comes back from DER and from PEM`() throws {
    for fixture in CertificateFixture.allCases {
      let certificate = try Certificate(fixture)
      #expect(try Certificate(der: certificate.der) == certificate)
      #expect(try Certificate(pem: certificate.pem) == certificate)
      #expect(certificate.pem == fixture.rawValue + "\n")
    }
  }

  @Test func `is refused when its bytes are cut, followed by others, too many, or something else`() throws {
    let der = try Certificate(.leaf).der
    // The outer length, spelled in three bytes where two do: BER, and not DER.
    let loose = [0x30, 0x83, 0x00] + der[2...]
    for bytes in [[], [0], Array(der.dropLast()), der + [0], der + der, Array(der.dropFirst()), loose] {
      #expect(refusal { () throws(AuthError) in try Certificate(der: bytes) } == .certificateInvalid)
    }
    #expect(
      refusal { () throws(AuthError) in try Certificate(der: Array(repeating: 0x30, count: Certificate.limit + 1)) }
        == .certificateInvalid)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `that was changed anywhere never stops the process, and leaves nothing behind`() throws {
    let der = try Certificate(.leaf).der
    for place in der.indices {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var bytes = der
        bytes[place] ^= change
        guard let certificate = try? Certificate(der: bytes) else { continue }
        _ = try? certificate.publicKey
        #expect(certificate.der == bytes)
      }
    }
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `is refused in PEM that is not one block of canonical base64`() throws {
    let pem = CertificateFixture.leaf.rawValue
    let lines = pem.split(separator: "\n").map(String.init)
    var texts = [
      "", "PEM", pem + "\n" + pem, lines.dropLast().joined(separator: "\n"), lines[1...].joined(separator: "\n"),
    ]
    texts.append(pem.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"))
    texts.append(pem.replacing("CERTIFICATE", with: "PUBLIC KEY"))
    texts.append(([lines[0], "Header: 1"] + lines[1...]).joined(separator: "\n"))
    texts.append(([lines[0], " " + lines[1]] + lines[2...]).joined(separator: "\n"))
    texts.append(([lines[0]] + lines).joined(separator: "\n"))
    texts.append(lines[0] + "\n" + String(repeating: "A", count: 100_000) + "\n" + lines[lines.count - 1])
    for text in texts { #expect(refusal { () throws(AuthError) in try Certificate(pem: text) } == .certificateInvalid) }
    let windows = "subject=CN=leaf\r\n" + pem.replacing("\n", with: "\r\n") + "\r\n"
    #expect(try Certificate(pem: windows) == Certificate(.leaf))
  }

  @Test func `in a bundle keeps its place, and one that cannot be read refuses the bundle`() throws {
    let bundle = ["leaf", CertificateFixture.leaf.rawValue, "root", CertificateFixture.root.rawValue]
      .joined(separator: "\n")
    #expect(try Certificate.list(pem: bundle) == [Certificate(.leaf), Certificate(.root)])
    #expect(try Certificate.list(pem: "no certificate at all") == [])
    let key = try PrivateKey.generate(.p256).pem().revealed
    #expect(refusal { () throws(AuthError) in try Certificate.list(pem: bundle + "\n" + key) } == .certificateInvalid)
    let broken = bundle.replacing(CertificateFixture.root.rawValue.split(separator: "\n")[2], with: "AAAA")
    #expect(refusal { () throws(AuthError) in try Certificate.list(pem: broken) } == .certificateInvalid)
  }
}
