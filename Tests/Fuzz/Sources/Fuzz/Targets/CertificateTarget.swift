import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// Certificates: in DER, in PEM where the input begins with a dash, and in `x5c` where it begins with a bracket.
enum CertificateTarget: Target {
  static let name = "x509"

  static func check(_ input: [UInt8]) {
    switch input.first {
    case UInt8(ascii: "-"):
      let text = String(decoding: input, as: UTF8.self)
      let list = attempt { try X509Certificate.list(pem: text) }
      let one = attempt { try X509Certificate(pem: text) }
      require(one == nil || list == one.map { [$0] }, "one certificate is a list of one")
      for certificate in list ?? [] { check(certificate) }
      if let list { verify(list) }
    case UInt8(ascii: "["):
      guard let json = try? JSONValue(parsing: input) else { return }
      guard let chain = attempt({ try X509Certificate.chain(x5c: json) }) else { return }
      verify(chain)
    default:
      guard let certificate = attempt({ try X509Certificate(der: input) }) else { return }
      require(certificate.der == input && length(input) == input.count, "a certificate is its bytes, and no more")
      check(certificate)
      verify([certificate])
    }
  }

  private static func check(_ certificate: X509Certificate) {
    require(
      attempt { try X509Certificate(pem: certificate.pem) } == certificate,
      "what is written is read")
    let json: JSONValue = [.string(Base64.encode(certificate.der))]
    require(
      attempt { try X509Certificate.chain(x5c: json) } == [certificate], "also in JSON")
    require(certificate.subject.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a subject is for people")
    for name in certificate.names { require(name.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a name is a word") }
    require(certificate.notBefore.wall.isFinite && certificate.notAfter.wall.isFinite, "a moment is a number")
    guard let key = attempt({ try certificate.publicKey }) else { return }
    require(attempt { try PublicKey(key.parameters) } == key, "its key breaks no rule")
  }

  /// How long the first element of some DER says that it is, with its head (X.690 §8.1.3).
  private static func length(_ der: [UInt8]) -> Int? {
    guard der.count >= 2, der[1] >= 0x80 else { return der.dropFirst().first.map { 2 + Int($0) } }
    let digits = der.dropFirst(2).prefix(Int(der[1] & 0x7F))
    return digits.count > 4 ? nil : 2 + digits.count + digits.reduce(0) { $0 << 8 | Int($1) }
  }

  /// No trusted key has signed generated input; the chain's own certificates make nothing valid.
  private static func verify(_ chain: [X509Certificate]) {
    guard let first = chain.first else { return }
    let now = (first.notBefore.wall + first.notAfter.wall) / 2
    for name in [nil, first.names.first] {
      let trusted = attempt {
        try CertificateChain.verify(chain, roots: [stranger], at: now, name: name)
      }
      require(trusted == nil, "nothing leads to a root that has signed nothing")
      attempt { try CertificateChain.verify(chain, roots: [chain[chain.count - 1]], at: now) }
    }
  }

  /// A root whose key was thrown away.
  private static let stranger = sure { try X509Certificate(pem: root) }

  private static let root = """
    -----BEGIN CERTIFICATE-----
    MIIBbTCCARKgAwIBAgIUclNr+tJiCcqc1wo4Vpf/6+/PJKgwCgYIKoZIzj0EAwIw
    EzERMA8GA1UEAwwIc3RyYW5nZXIwIBcNMjYxMTIxMDUzNDUyWhgPMjEyNjEwMjgw
    NTM0NTJaMBMxETAPBgNVBAMMCHN0cmFuZ2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0D
    AQcDQgAEiDNL8Gt+q0WBPrhNfXKvufEMXWLlGAPfjSTszwA/YyyWjgNeffuhluq9
    ELRzCq4FyQ5V7TMZ0Y5+2Xv3qYM/E6NCMEAwHQYDVR0OBBYEFNxLQztHZgdA3Lpx
    syuWtYERiPVoMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqG
    SM49BAMCA0kAMEYCIQCMU8nhQ8AI4Bcw3BHP0SVE6xkh1r1IbmjQpwJN8toVqQIh
    AL4EPU0gd+wjYPCA639OhhsYg//5e0E55fzhkiOuu6K1
    -----END CERTIFICATE-----
    """

  static func seeds(from harvest: Harvest) -> [[UInt8]] {
    let texts = [root] + harvest.pem.filter { $0.hasPrefix("-----BEGIN CERTIFICATE-----") }
    let lists = harvest.objects.compactMap { $0["x5c"] }.map { $0.serialized() }
    let der = texts.flatMap { (try? X509Certificate.list(pem: $0)) ?? [] }.map(\.der)
    return texts.map { Array($0.utf8) } + der + der.map { Array("[\"\(Base64.encode($0))\"]".utf8) } + lists
  }
}
