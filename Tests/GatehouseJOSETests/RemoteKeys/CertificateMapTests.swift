import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

@Suite struct `A remote map of certificates` {
  /// Fetches a map at a moment when its certificates are good, or another one.
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
      try await scene.set.key(named: "a").key.publicKey == Certificate(pem: CertificateFixture.leaf.rawValue).publicKey)
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

  @Test func `is refused with a weak key`() async throws {
    #expect(try await Self.scene(["a": .leaf, "b": .weak]).set.statistics.lastError == .keyInvalid)
  }
}

@Suite struct `x5c` {
  @Test func `is a list of certificates in base64, the one in question first`() throws {
    let chain = try [CertificateFixture.leaf, .middle].map { try Certificate(pem: $0.rawValue) }
    let json = JSONValue.array(chain.map { .string(Base64.encode($0.der)) })
    #expect(try Certificate.chain(x5c: json) == chain)
    let root = try Certificate(pem: CertificateFixture.root.rawValue)
    #expect(try CertificateChain.verify(Certificate.chain(x5c: json), roots: [root], at: 1_900_000_000) == chain[0])
  }

  @Test func `is refused in any other form`() throws {
    let der = try Certificate(pem: CertificateFixture.leaf.rawValue).der
    let text = JSONValue.string(Base64.encode(der))
    for json in [
      .null, text, [], [1], .array(Array(repeating: text, count: 7)), [.string(Base64URL.encode(der))],
      [.string(CertificateFixture.leaf.rawValue)], [.string(Base64.encode(der + [0]))], [text, ""],
      [.string(String(repeating: "A", count: 100_000))],
    ] as [JSONValue] {
      #expect(refusal { () throws(AuthError) in try Certificate.chain(x5c: json) } == .certificateInvalid)
    }
    #expect(try Certificate.chain(x5c: .array(Array(repeating: text, count: 6))).count == 6)
  }
}
