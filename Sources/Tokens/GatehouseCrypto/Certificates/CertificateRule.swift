/// What a verified certificate chain must be besides trusted: how long it is, and what its certificates say of
/// themselves.
///
/// It is checked on the chain that leads to the root, not on the certificates that the sender has listed. Object
/// identifiers are in dotted form, such as `1.3.6.1.5.5.7.3.3`; one that is misspelled is found in no certificate.
public struct CertificateRule: Sendable, Hashable {
  /// The number of certificates from the first to the root, both counted; `nil` for any.
  public var length: Int?
  /// Extensions that the first certificate must have, for whatever value.
  public var leafExtensions: [String]
  /// Extensions that each certificate between the first and the root must have. With any, there must be such a
  /// certificate.
  public var intermediateExtensions: [String]
  /// Extended key usages (RFC 5280 §4.2.1.12) that the first certificate must list. A certificate between it and the
  /// root that lists usages must list these, too, or any usage.
  public var extendedKeyUsages: [String]

  /// A rule; by default it asks for nothing.
  public init(
    length: Int? = nil, leafExtensions: [String] = [], intermediateExtensions: [String] = [],
    extendedKeyUsages: [String] = []
  ) {
    self.length = length
    self.leafExtensions = leafExtensions
    self.intermediateExtensions = intermediateExtensions
    self.extendedKeyUsages = extendedKeyUsages
  }

  /// Asks for nothing.
  public static let none = CertificateRule()

  /// What the App Store signs transactions and notifications with: three certificates, the first one and the one that
  /// signs it with Apple's marks for this. Apple certifies others under the same root.
  public static let appStore = CertificateRule(
    length: 3, leafExtensions: ["1.2.840.113635.100.6.11.1"], intermediateExtensions: ["1.2.840.113635.100.6.2.1"])
}
