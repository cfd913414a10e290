import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A rule for certificates` {
  private static let leafMark = "1.2.840.113635.100.6.11.1"
  private static let middleMark = "1.2.840.113635.100.6.2.1"
  private static let codeSigning = "1.3.6.1.5.5.7.3.3"
  private static let serverAuth = "1.3.6.1.5.5.7.3.1"

  private static let root = CertificateMaker("root")
  private static let middle = CertificateMaker("middle")
  private static let below = CertificateMaker("below")
  private static let leaf = CertificateMaker("leaf")
  private static let rootCertificate = TokenScene.made { try root.certify(root, isCA: true) }

  private static func middle(_ marks: [String], usages: [String]? = nil) throws -> X509Certificate {
    try root.certify(middle, isCA: true, marks: marks, usages: usages)
  }

  private static func leaf(_ marks: [String], usages: [String]? = nil) throws -> X509Certificate {
    try middle.certify(leaf, marks: marks, usages: usages)
  }

  /// The error with which a token with these certificates is rejected; `nil` if it is accepted.
  private static func refusal(_ chain: X509Certificate..., rule: CertificateRule = .appStore) throws -> AuthError? {
    let signer = try TokenSigner(key: leaf.key).withHeader(SignatureHeader(certificates: chain))
    let verifier = try CertifiedTokenVerifier(
      roots: [rootCertificate], name: nil, rule: rule, policy: CertifiedScene.policy)
    let token = try signer.sign(CertifiedScene.claims)
    do throws(AuthError) {
      _ = try verifier.verify(token, at: CertifiedScene.now)
      return nil
    } catch { return error }
  }

  @Test func `accepts a chain with the App Store's marks, with its root or without it`() throws {
    let chain = (try Self.leaf([Self.leafMark]), try Self.middle([Self.middleMark]))
    #expect(try Self.refusal(chain.0, chain.1, Self.rootCertificate) == nil)
    #expect(try Self.refusal(chain.0, chain.1) == nil)
    // Without a rule, every certificate under the root is accepted.
    #expect(try Self.refusal(Self.leaf([]), Self.middle([]), rule: .none) == nil)
    // Additional marks are allowed.
    #expect(try Self.refusal(Self.leaf([Self.leafMark, "1.2.3"]), chain.1) == nil)
  }

  @Test func `refuses a chain without a mark, and one with a mark in the wrong place`() throws {
    let leafMarks = [[], [Self.middleMark], ["1.2.840.113635.100.6.11"], ["1.2.840.113635.100.6.11.1.1"]]
    for marks in leafMarks {
      let error = try Self.refusal(Self.leaf(marks), Self.middle([Self.middleMark]))
      #expect(error?.code == .certificateUntrusted, "\(marks)")
      #expect(error?.message.contains("the first certificate does not have") == true)
    }
    for marks in [[], [Self.leafMark], ["1.2.840.113635.100.6.2"]] {
      let error = try Self.refusal(Self.leaf([Self.leafMark]), Self.middle(marks))
      #expect(error?.code == .certificateUntrusted, "\(marks)")
      #expect(error?.message.contains("an intermediate certificate does not have") == true)
    }
    #expect(try Self.refusal(Self.leaf([Self.middleMark]), Self.middle([Self.leafMark])) != nil)
    #expect(try Self.refusal(Self.leaf([Self.leafMark, Self.middleMark]), Self.middle([])) != nil)
  }

  @Test func `looks at the chain that leads to the root, not at what else was sent`() throws {
    let other = try Self.root.certify(Self.below, isCA: true, marks: [Self.middleMark])
    let error = try Self.refusal(Self.leaf([Self.leafMark]), Self.middle([]), other)
    #expect(error?.code == .certificateUntrusted)
    // Nor do certificates outside the chain count toward its length.
    #expect(try Self.refusal(Self.leaf([Self.leafMark]), Self.middle([Self.middleMark]), other) == nil)
  }

  @Test func `refuses a chain that is shorter or longer`() throws {
    let short = try Self.root.certify(Self.leaf, marks: [Self.leafMark])
    #expect(try Self.refusal(short)?.code == .certificateUntrusted)
    #expect(try Self.refusal(short, rule: CertificateRule(length: 2)) == nil)
    // If a mark is required, there must be a certificate that can have it.
    let marked = CertificateRule(intermediateExtensions: [Self.middleMark])
    #expect(try Self.refusal(short, rule: marked)?.code == .certificateUntrusted)
    let long = try [
      Self.below.certify(Self.leaf, marks: [Self.leafMark]),
      Self.middle.certify(Self.below, isCA: true, marks: [Self.middleMark]), Self.middle([Self.middleMark]),
    ]
    #expect(try Self.refusal(long[0], long[1], long[2])?.message.contains("4 certificates") == true)
    #expect(try Self.refusal(long[0], long[1], long[2], rule: marked) == nil)
    #expect(try Self.refusal(long[0], long[1], long[2], rule: CertificateRule(length: 4)) == nil)
    // Each certificate between the two ends must have the mark.
    let half = try Self.middle.certify(Self.below, isCA: true)
    #expect(try Self.refusal(long[0], half, long[2], rule: marked)?.code == .certificateUntrusted)
  }

  @Test func `asks for extended key usages`() throws {
    let rule = CertificateRule(extendedKeyUsages: [Self.codeSigning])
    func refusal(_ leaf: [String]?, _ middle: [String]? = nil) throws -> AuthError.Code? {
      try Self.refusal(Self.leaf([], usages: leaf), Self.middle([], usages: middle), rule: rule)?.code
    }
    #expect(try refusal([Self.codeSigning]) == nil)
    #expect(try refusal([Self.serverAuth, Self.codeSigning]) == nil)
    for usages in [nil, [Self.serverAuth], ["2.5.29.37.0"]] as [[String]?] {
      #expect(try refusal(usages) == .certificateUntrusted)
    }
    // An intermediate certificate that lists usages limits those below it.
    #expect(try refusal([Self.codeSigning], [Self.codeSigning]) == nil)
    #expect(try refusal([Self.codeSigning], ["2.5.29.37.0"]) == nil)
    #expect(try refusal([Self.codeSigning], [Self.serverAuth]) == .certificateUntrusted)
    let both = CertificateRule(extendedKeyUsages: [Self.codeSigning, Self.serverAuth])
    #expect(
      try Self.refusal(Self.leaf([], usages: [Self.codeSigning]), Self.middle([]), rule: both)?.code
        == .certificateUntrusted)
  }

  @Test(arguments: ["", "1", "1.", "4.4", "serverAuth", "1.2.3 ", "1.2.3\0", "1..2", "-1.2", "9.9.9"])
  func `takes no text that is not an object identifier`(oid: String) throws {
    for rule in [CertificateRule(leafExtensions: [oid]), CertificateRule(intermediateExtensions: [oid])] {
      #expect(try Self.refusal(Self.leaf([]), Self.middle([]), rule: rule)?.code == .invalidArgument, "\(oid)")
    }
    let chain = (try Self.leaf([], usages: [Self.codeSigning]), try Self.middle([]))
    #expect(
      try Self.refusal(chain.0, chain.1, rule: CertificateRule(extendedKeyUsages: [oid]))?.code == .invalidArgument)
  }

  @Test func `does not replace the verification of the chain`() throws {
    let stranger = CertificateMaker("root")
    let forged = try stranger.certify(Self.middle, isCA: true, marks: [Self.middleMark])
    #expect(try Self.refusal(Self.leaf([Self.leafMark]), forged)?.code == .certificateUntrusted)
  }
}
