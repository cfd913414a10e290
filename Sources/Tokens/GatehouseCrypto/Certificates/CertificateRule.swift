/// Requirements for a verified certificate chain besides trust: its length, and what its certificates state about
/// themselves.
///
/// The rule is checked on the chain that leads to the root, not on the certificates that the sender has listed. Object
/// identifiers are in dotted form, such as `1.3.6.1.5.5.7.3.3`. A misspelled identifier is in no certificate.
public struct CertificateRule: Sendable, Hashable {
  /// The number of certificates from the first to the root, both included; `nil` for any.
  public var length: Int?
  /// Extensions that the first certificate must have, with any value.
  public var leafExtensions: [String]
  /// Extensions that each certificate between the first and the root must have. If there are any, at least one such
  /// certificate is required.
  public var intermediateExtensions: [String]
  /// Extended key usages (RFC 5280 §4.2.1.12) that the first certificate must list. A certificate between it and the
  /// root that lists usages must list these, too, or any usage.
  public var extendedKeyUsages: [String]

  /// Makes a rule; by default without requirements.
  public init(
    length: Int? = nil, leafExtensions: [String] = [], intermediateExtensions: [String] = [],
    extendedKeyUsages: [String] = []
  ) {
    self.length = length
    self.leafExtensions = leafExtensions
    self.intermediateExtensions = intermediateExtensions
    self.extendedKeyUsages = extendedKeyUsages
  }

  /// A rule without requirements.
  public static let none = CertificateRule()

  /// The chain with which the App Store signs transactions and notifications: three certificates. The first one and its
  /// signer have Apple's marks for this. Apple certifies others under the same root.
  public static let appStore = CertificateRule(
    length: 3, leafExtensions: ["1.2.840.113635.100.6.11.1"], intermediateExtensions: ["1.2.840.113635.100.6.2.1"])
}
