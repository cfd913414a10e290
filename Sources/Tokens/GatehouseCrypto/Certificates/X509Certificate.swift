public import FoundationEssentials
import GatehouseBase

/// An X.509 certificate that was parsed but not verified.
///
/// A certificate names the owner of a key; only `CertificateChain` verifies that claim. A value type: the certificate's
/// bytes and the data read from them. Two certificates with the same bytes are equal. Usable from any thread.
public struct X509Certificate: Sendable {
  /// The certificate in DER.
  public let der: [UInt8]
  /// The SHA-256 digest of `der`, 32 bytes: the value of `x5t#S256` before base64url encoding.
  public let sha256Fingerprint: [UInt8]
  /// The subject, for people, in the form of RFC 2253; non-ASCII characters are escaped.
  public let subject: String
  /// The DNS names that the certificate is for, as it spells them. The subject does not count.
  public let names: [String]
  /// The first moment of its validity.
  public let notBefore: Date
  /// The last moment of its validity.
  public let notAfter: Date

  /// The maximum length of a certificate, in bytes of DER.
  public static let maximumLength = 64 << 10

  /// Reads one certificate. Throws `certificateInvalid` if the bytes are anything else, more than one, or not DER.
  public init(der: [UInt8]) throws {
    let parsed = try ParsedCertificate(der)
    self.der = der
    sha256Fingerprint = try HashAlgorithm.sha256.hash(der)
    subject = try parsed.subject()
    names = try parsed.dnsNames()
    notBefore = Date(wall: try parsed.notBefore())
    notAfter = Date(wall: try parsed.notAfter())
  }

  /// The certificate's public key.
  ///
  /// All rules of `PublicKey` apply: throws `keyInvalid` for a key that breaks one, and `keyUnsupported` for an
  /// unsupported kind. The key is read anew each time, so keep it.
  public var publicKey: PublicKey {
    get throws { try PublicKey(of: ParsedCertificate(der).publicKey()) }
  }
}

extension X509Certificate: Hashable {
  /// Whether the DER is the same.
  public static func == (left: Self, right: Self) -> Bool { left.der == right.der }
  /// Hashes the DER.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension X509Certificate: CustomStringConvertible, CustomReflectable {
  private var end: String { Date.ISO8601FormatStyle().format(notAfter) }
  /// The subject and the end of the validity: never the certificate's bytes, which `der` has.
  public var description: String { "X509Certificate(subject: \"\(subject.printable())\", notAfter: \(end))" }
  /// The same members, and no others.
  public var customMirror: Mirror { Mirror(self, children: ["subject": subject.printable(), "notAfter": end]) }
}
