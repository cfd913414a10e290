import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

struct `A remote map of certificates` {
  /// Fetches a map at a moment at which its certificates are valid, or at another moment.
  private static func scene(
    _ map: KeyValuePairs<String, CertificateFixture>, at now: Double = 1_900_000_000
  ) async throws -> RemoteScene {
    let scene = try RemoteScene(RemoteKeyOptions(.certificates))
    scene.clocks.setWall(now)
    var object = JSONObject()
    for (name, certificate) in map { object[name] = .string(certificate.rawValue) }
    scene.publish(String(decoding: object.serialized(), as: UTF8.self))
    _ = await scene.refusal()
    return scene
  }

  @Test func `gives each certificate's key under the name of its member`() async throws {
    let scene = try await Self.scene(["a": .leaf, "b": .rsa, "c": .ed25519])
    #expect(
      try await scene.set.key(named: "a").key.publicKey
        == X509Certificate(pem: CertificateFixture.leaf.rawValue).publicKey)
    #expect(try await scene.set.key(named: "b").key.publicKey?.type == .rsa(bits: 2048))
    #expect(try await scene.set.key(named: "c").use == "sig")
    #expect(scene.set.statistics.keys == 3)
  }

  @Test func `skips and counts kinds that are not known, and certificates out of their time`() async throws {
    let scene = try await Self.scene(["a": .leaf, "b": .p224])
    #expect(scene.set.statistics.keys == 1 && scene.set.statistics.skipped == 1)
    for moment in [1_000_000_000, 5_000_000_000] as [Double] {
      let scene = try await Self.scene(["a": .leaf], at: moment)
      #expect(scene.set.statistics.keys == 0 && scene.set.statistics.skipped == 1)
    }
  }

  @Test func `skips and counts a weak key`() async throws {
    let scene = try await Self.scene(["a": .leaf, "b": .weak])
    #expect(scene.set.statistics.keys == 1 && scene.set.statistics.skipped == 1)
  }
}

struct `Keys in either form` {
  private static let map = "{\"a\":\(JSONValue.string(CertificateFixture.leaf.rawValue))}"
  private static let set = "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"use\":\"enc\"}]}"

  private static func refusal(of text: String) -> AuthError? {
    do {
      _ = try JWKSet(published: text.utf8, at: CertifiedScene.now)
      return nil
    } catch { return error }
  }

  @Test func `are a JWK set or a map of certificates, as the text shows`() async throws {
    let map = try JWKSet(published: Self.map.utf8, at: CertifiedScene.now)
    #expect(map.keys.map(\.keyID) == ["a"] && map.skipped == 0)
    let set = try JWKSet(published: Self.set.utf8, at: CertifiedScene.now)
    #expect(set.keys.isEmpty && set.skipped == 1)
    // No key may have this name, but a certificate may.
    let named = try JWKSet(published: Self.map.replacing("\"a\"", with: "\"keys\"").utf8, at: CertifiedScene.now)
    #expect(named.keys.map(\.keyID) == ["keys"])
  }

  @Test func `are fetched in either`() async throws {
    for text in [Self.map, Self.set] {
      let scene = try RemoteScene(RemoteKeyOptions(.either))
      scene.clocks.setWall(CertifiedScene.now)
      scene.publish(text)
      #expect(await scene.refusal() == nil)
      #expect(scene.set.statistics.keys + scene.set.statistics.skipped == 1)
    }
  }

  @Test func `without a certificate in its time are none`() throws {
    for moment in [1_000_000_000, 5_000_000_000] as [Double] {
      let map = try JWKSet(published: Self.map.utf8, at: moment)
      #expect(map.keys.isEmpty && map.skipped == 1)
    }
  }

  @Test(arguments: [
    "{}", "[]", "\"a\"", "{\"a\":1}", "{\"a\":\"b\"}", "{\"keys\":{}}", "{\"keys\":\"b\"}",
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
  ])
  func `are refused in a third, and told so`(text: String) {
    let error = Self.refusal(of: text)
    #expect(error?.code == .keySetInvalid && error?.message.contains("expected a JWK set or") == true)
  }

  @Test func `lose a certificate that cannot be read, and keep the others`() throws {
    for odd in ["\"-----BEGIN CERTIFICATE-----\"", "\"b\"", "1", "null"] {
      let map = try JWKSet(published: (Self.map.dropLast() + ",\"b\":\(odd)}").utf8, at: CertifiedScene.now)
      #expect(map.keys.map(\.keyID) == ["a"] && map.skipped == 1, "\(odd)")
    }
  }

  @Test func `are refused with what breaks a rule`() {
    let secret = "-----BEGIN PRIVATE KEY-----\\n-----END PRIVATE KEY-----"
    #expect(Self.refusal(of: Self.map.dropLast() + ",\"b\":\"\(secret)\"}")?.code == .keySetInvalid)
    #expect(Self.refusal(of: Self.map.dropLast() + ",\"a\":\"\"}")?.code == .jsonDuplicateMember)
    #expect(Self.refusal(of: Self.map + String(repeating: " ", count: 256 << 10))?.code == .jsonTooLarge)
    let many = (0...100).map { "\"\($0)\":\"-----BEGIN \"" }.joined(separator: ",")
    #expect(Self.refusal(of: "{\(many)}")?.code == .jsonTooLarge)
  }
}

struct `x5c` {
  @Test func `is a list of certificates in base64, the one in question first`() throws {
    let chain = try [CertificateFixture.leaf, .middle].map { try X509Certificate(pem: $0.rawValue) }
    let json = JSONValue.array(chain.map { .string(Base64.encode($0.der)) })
    #expect(try X509Certificate.chain(x5c: json) == chain)
    let root = try X509Certificate(pem: CertificateFixture.root.rawValue)
    #expect(try CertificateChain.verify(X509Certificate.chain(x5c: json), roots: [root], at: 1_900_000_000) == chain[0])
  }

  @Test func `is refused in any other form`() throws {
    let der = try X509Certificate(pem: CertificateFixture.leaf.rawValue).der
    let text = JSONValue.string(Base64.encode(der))
    for json in [
      .null, text, [], [1], .array(Array(repeating: text, count: 7)), [.string(Base64URL.encode(der))],
      [.string(CertificateFixture.leaf.rawValue)], [.string(Base64.encode(der + [0]))], [text, ""],
      [.string(String(repeating: "A", count: 100_000))],
    ] as [JSONValue] {
      #expect(refusal { try X509Certificate.chain(x5c: json) } == .certificateInvalid)
    }
    #expect(try X509Certificate.chain(x5c: .array(Array(repeating: text, count: 6))).count == 6)
  }
}
