import GatehouseBase
import GatehouseJOSE
import TestSupport
import Testing

struct `A JWK with certificates` {
  private static let key = JWK.Key.publicKey(CertifiedScene.key.publicKey)

  private static func json(_ members: JSONObject) throws -> JSONValue {
    guard var object = try JWK(key, keyID: "a").json.object else { throw AuthError(.keyInvalid, "no object") }
    for member in members.members { object[member.name] = member.value }
    return .object(object)
  }

  private static func refused(_ members: JSONObject) throws -> AuthError.Code? {
    let json = try json(members)
    return refusal { try JWK(json) }
  }

  private static let fingerprint = JSONValue.string(Base64URL.encode(CertifiedScene.leaf.sha256Fingerprint))

  @Test func `keeps them, and writes them again`() throws {
    let list = CertifiedScene.list(CertifiedScene.leaf, CertifiedScene.root)
    let json = try Self.json(["x5c": list, "x5t#S256": Self.fingerprint])
    let key = try JWK(json)
    #expect(key.certificates == [CertifiedScene.leaf, CertifiedScene.root])
    #expect(key.certificateFingerprint == CertifiedScene.leaf.sha256Fingerprint)
    #expect(key.json["x5c"] == list && key.json["x5t#S256"] == Self.fingerprint)
    #expect(try JWKSet([key]).json["keys"]?.array?.first?["x5c"] == list)
    // The public half of a private key has them too; its thumbprint covers the key alone.
    let pair = try JWK(.privateKey(CertifiedScene.key)).certified(by: [CertifiedScene.leaf])
    #expect(pair.publicJWK?.json["x5c"] == CertifiedScene.list(CertifiedScene.leaf))
    #expect(try pair.jsonRevealingSecrets()["x5t#S256"] == Self.fingerprint)
    #expect(try pair.thumbprint() == JWK(Self.key).thumbprint())
  }

  @Test func `may have the hash of one alone`() throws {
    let key = try JWK(Self.json(["x5t#S256": Self.fingerprint]))
    #expect(key.certificates.isEmpty && key.json["x5t#S256"] == Self.fingerprint && key.json["x5c"] == nil)
  }

  @Test func `is refused when the first one is of another key`() throws {
    #expect(try Self.refused(["x5c": CertifiedScene.list(CertifiedScene.leaf)]) == nil)
    #expect(try Self.refused(["x5c": CertifiedScene.list(CertifiedScene.root)]) == .keyInvalid)
    #expect(try Self.refused(["x5c": CertifiedScene.list(CertifiedScene.root, CertifiedScene.leaf)]) == .keyInvalid)
    let p224 = try X509Certificate(pem: CertificateFixture.p224.rawValue)
    #expect(try Self.refused(["x5c": CertifiedScene.list(p224)]) == .keyInvalid)
    let secret = try JWK(.symmetric(.generate()))
    for chain in [[CertifiedScene.leaf], []] {
      #expect(refusal { try secret.certified(by: chain) } == .keyInvalid)
    }
  }

  @Test func `is refused when they are no certificates, or the hash is of another one`() throws {
    for list in [[], "", ["MII"], [1], .null] as [JSONValue] { #expect(try Self.refused(["x5c": list]) == .keyInvalid) }
    let other = JSONValue.string(Base64URL.encode(CertifiedScene.root.sha256Fingerprint))
    let list = CertifiedScene.list(CertifiedScene.leaf)
    #expect(try Self.refused(["x5c": list, "x5t#S256": other]) == .keyInvalid)
    for hash in ["", "AA", 1, .null, .string(Base64URL.encode([UInt8](repeating: 0, count: 33)))] as [JSONValue] {
      #expect(try Self.refused(["x5t#S256": hash]) == .keyInvalid)
    }
  }
}
