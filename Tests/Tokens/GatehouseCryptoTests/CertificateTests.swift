import Foundation
import GatehouseBase
import GatehouseCrypto
import TestSupport
import Testing

extension X509Certificate {
  init(_ fixture: CertificateFixture) throws { try self.init(pem: fixture.rawValue) }
}

struct `A certificate` {
  @Test func `tells whose it is, until when, and its fingerprint`() throws {
    let leaf = try X509Certificate(.leaf)
    #expect(leaf.subject == "CN=leaf,O=Gatehouse tests")
    #expect(leaf.names == ["tokens.example.org", "*.example.net"])
    #expect(leaf.sha256Fingerprint == (try HashAlgorithm.sha256.hash(leaf.der)))
    #expect(leaf.notAfter.wall - leaf.notBefore.wall == 36_500 * 86_400)
    #expect((1_700_000_000..<1_900_000_000).contains(leaf.notBefore.wall))
    #expect(try X509Certificate(.plain).names == [])
  }

  @Test func `gives the key that it is about, if its kind is known and it breaks no rule`() throws {
    #expect(try X509Certificate(.leaf).publicKey.type == .p256)
    #expect(try X509Certificate(.ed25519).publicKey.type == .ed25519)
    #expect(try X509Certificate(.rsa).publicKey.type == .rsa(bits: 2048))
    #expect(refusal { try X509Certificate(.weak).publicKey } == .keyInvalid)
    #expect(refusal { try X509Certificate(.p224).publicKey } == .keyUnsupported)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `comes back from DER and from PEM`() throws {
    for fixture in CertificateFixture.allCases {
      let certificate = try X509Certificate(fixture)
      #expect(try X509Certificate(der: certificate.der) == certificate)
      #expect(try X509Certificate(pem: certificate.pem) == certificate)
      #expect(certificate.pem == fixture.rawValue + "\n")
    }
  }

  @Test func `is refused when its bytes are cut, followed by others, too many, or something else`() throws {
    let der = try X509Certificate(.leaf).der
    // The outer length is encoded in three bytes instead of two: BER, but not DER.
    let loose = [0x30, 0x83, 0x00] + der[2...]
    for bytes in [[], [0], Array(der.dropLast()), der + [0], der + der, Array(der.dropFirst()), loose] {
      #expect(refusal { try X509Certificate(der: bytes) } == .certificateInvalid)
    }
    #expect(
      refusal {
        try X509Certificate(der: Array(repeating: 0x30, count: X509Certificate.maximumLength + 1))
      }
        == .certificateInvalid)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `has as many bytes as it may, and not one more`() throws {
    let leaf = try X509Certificate(.leaf).der
    func padded(_ count: Int) -> [UInt8] { DER.extended(leaf, [42, 3, 4], Array(repeating: 0, count: count)) }
    let room = X509Certificate.maximumLength - padded(60_000).count
    #expect(try X509Certificate(der: padded(60_000 + room)).der.count == X509Certificate.maximumLength)
    let large = padded(60_001 + room)
    #expect(large.count == X509Certificate.maximumLength + 1)
    #expect(refusal { try X509Certificate(der: large) } == .certificateInvalid)
  }

  @Test func `is refused when its names cannot be read, or are no words`() throws {
    func named(_ names: [UInt8]) throws(AuthError) -> [UInt8] {
      DER.extended(try typed { try X509Certificate(.plain).der }, [0x55, 0x1D, 17], names)
    }
    #expect(try X509Certificate(der: named([0x30, 3, 0x82, 1, 97])).names == ["a"])
    for names: [UInt8] in [
      [], [0x31], [0x30, 3, 0x82, 2, 97], [0x30, 2, 0x82, 0], [0x30, 5, 0x82, 3, 97, 0, 98], [0x30, 3, 0x82, 1, 0x20],
      [0x30, 3, 0x82, 1, 0x7F], [0x30, 4, 0x82, 2, 0xC3, 0xA9],
    ] {
      #expect(
        refusal { try X509Certificate(der: named(names)) } == .certificateInvalid, "\(names)")
    }
    // Duplicate name extensions: it is ambiguous which one counts.
    let twice = DER.extended(try X509Certificate(.leaf).der, [0x55, 0x1D, 17], [0x30, 3, 0x82, 1, 97])
    #expect(refusal { try X509Certificate(der: twice) } == .certificateInvalid)
    #expect(OpenSSLErrors.areNone)
  }

  @Test func `that was changed anywhere never stops the process, and leaves nothing behind`() throws {
    let der = try X509Certificate(.leaf).der
    for place in der.indices {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var bytes = der
        bytes[place] ^= change
        guard let certificate = try? X509Certificate(der: bytes) else { continue }
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
    for text in texts {
      #expect(refusal { try X509Certificate(pem: text) } == .certificateInvalid)
    }
    let windows = "subject=CN=leaf\r\n" + pem.replacing("\n", with: "\r\n") + "\r\n"
    #expect(try X509Certificate(pem: windows) == X509Certificate(.leaf))
  }

  @Test func `in a bundle keeps its place, and one that cannot be read refuses the bundle`() throws {
    let bundle = ["leaf", CertificateFixture.leaf.rawValue, "root", CertificateFixture.root.rawValue]
      .joined(separator: "\n")
    #expect(try X509Certificate.list(pem: bundle) == [X509Certificate(.leaf), X509Certificate(.root)])
    #expect(try X509Certificate.list(pem: "no certificate at all") == [])
    let key = try PrivateKey.generate(.p256).pem().revealed
    #expect(
      refusal { try X509Certificate.list(pem: bundle + "\n" + key) } == .certificateInvalid)
    let endless = bundle.dropLast("-----END CERTIFICATE-----".count)
    #expect(refusal { try X509Certificate.list(pem: String(endless)) } == .certificateInvalid)
    let broken = bundle.replacing(CertificateFixture.root.rawValue.split(separator: "\n")[2], with: "AAAA")
    #expect(refusal { try X509Certificate.list(pem: broken) } == .certificateInvalid)
  }
}

/// A minimal DER implementation to add an extension to a certificate.
private enum DER {
  /// Returns a certificate with an additional extension; its signature is no longer valid.
  static func extended(_ certificate: [UInt8], _ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
    var parts = children(of: certificate)
    var body = children(of: parts[0])
    let list = children(of: body[body.count - 1])[0]
    let added = element(0x30, element(6, name) + element(4, value))
    body[body.count - 1] = element(0xA3, element(0x30, Array(children(of: list).joined()) + added))
    parts[0] = element(0x30, Array(body.joined()))
    return element(0x30, Array(parts.joined()))
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
      }
    return [tag] + length + content
  }

  private static func children(of element: [UInt8]) -> [[UInt8]] {
    var rest = element[head(of: element[...])...]
    var children: [[UInt8]] = []
    while !rest.isEmpty {
      let size = head(of: rest) + length(of: rest)
      children.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return children
  }

  private static func head(of element: ArraySlice<UInt8>) -> Int {
    let first = element[element.startIndex + 1]
    return first < 0x80 ? 2 : 2 + Int(first & 0x7F)
  }

  private static func length(of element: ArraySlice<UInt8>) -> Int {
    let first = element[element.startIndex + 1]
    return first < 0x80 ? Int(first) : element.dropFirst(2).prefix(Int(first & 0x7F)).reduce(0) { $0 << 8 | Int($1) }
  }
}
