public import FoundationEssentials
public import GatehouseBase

/// An X.509 certificate that was parsed and not verified.
///
/// A certificate names the owner of a key; only `CertificateChain` verifies that claim. A value: its bytes, and
/// what was read from them. Equal when the bytes are. Any thread.
public struct X509Certificate: Sendable {
  /// The certificate in DER.
  public let der: [UInt8]
  /// SHA-256 of `der`, 32 bytes: what `x5t#S256` gives in base64url.
  public let sha256Fingerprint: [UInt8]
  /// The subject, for people, in the form of RFC 2253; in ASCII, everything else escaped.
  public let subject: String
  /// The DNS names that it is for, in its own spelling. The subject counts for none.
  public let names: [String]
  /// The first moment of its validity.
  public let notBefore: Date
  /// The last moment of its validity.
  public let notAfter: Date

  /// The longest certificate that is read, in bytes of DER.
  public static let maximumLength = 64 << 10

  /// Reads one certificate; `certificateInvalid` if the bytes are anything else, more than one, or not DER.
  public init(der: [UInt8]) throws(AuthError) {
    let parsed = try ParsedCertificate(der)
    self.der = der
    sha256Fingerprint = try HashAlgorithm.sha256.hash(der)
    subject = try parsed.subject()
    names = try parsed.dnsNames()
    notBefore = Date(wall: try parsed.notBefore())
    notAfter = Date(wall: try parsed.notAfter())
  }

  /// The key that the certificate is about.
  ///
  /// Every rule of `PublicKey` applies: `keyInvalid` for a key that breaks one, `keyUnsupported` for a kind that is not
  /// known here. Read anew each time: keep it.
  public var publicKey: PublicKey {
    get throws(AuthError) { try PublicKey(of: ParsedCertificate(der).publicKey()) }
  }
}

extension X509Certificate: Hashable {
  /// Whether the DER is the same.
  public static func == (left: Self, right: Self) -> Bool { left.der == right.der }
  /// Hashes the DER.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
