import Dispatch
import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

struct `A rotation of signing keys` {
  private static let lead = Duration.seconds(1000)
  private static let lifetime = Duration.seconds(600)

  private let clocks = ManualClocks(wall: TokenScene.now)

  private static func signer(_ name: String) throws -> TokenSigner {
    try TokenSigner(key: PrivateKey.generate(.p256), keyID: name)
  }

  private func rotation(
    _ current: String = "a", next: String? = nil, retired: [JWK] = []
  ) throws -> SigningKeyRotation {
    try SigningKeyRotation(
      current: Self.signer(current), next: next.map(Self.signer), retired: retired, lead: Self.lead,
      tokenLifetime: Self.lifetime, clocks: clocks)
  }

  private func claims(_ lifetime: Double = 600) -> JSONObject {
    ["exp": .number(JSONNumber(Int64(clocks.now().wall + lifetime)))]
  }

  private func signingKey(_ rotation: SigningKeyRotation) throws -> String? {
    try UnverifiedToken(rotation.sign(claims())).header.keyID
  }

  private func names(_ rotation: SigningKeyRotation) throws -> [String?] { try rotation.published.keys.map(\.keyID) }

  @Test func `publishes the next key before it signs, and the old one until its tokens have expired`() throws {
    let rotation = try rotation()
    #expect(try names(rotation) == ["a"])
    try rotation.rotate(to: Self.signer("b"))
    #expect(try names(rotation) == ["a", "b"] && signingKey(rotation) == "a")
    clocks.advance(by: .seconds(999))
    #expect(try names(rotation) == ["a", "b"] && signingKey(rotation) == "a")
    let last = try rotation.sign(claims())
    clocks.advance(by: .seconds(1))
    #expect(try names(rotation) == ["a", "b"] && signingKey(rotation) == "b")
    // The last token of the old key is valid until it expires.
    clocks.advance(by: .seconds(598))
    let verifier = TokenVerifier(keys: try rotation.published, policy: VerificationPolicy(algorithms: [.ES256]))
    #expect(try verifier.verify(last, at: clocks.now().wall).header.keyID == "a")
    // Includes a minute for verifiers whose clocks are behind.
    clocks.advance(by: .seconds(61))
    #expect(try names(rotation) == ["a", "b"])
    clocks.advance(by: .seconds(1))
    #expect(try names(rotation) == ["b"] && signingKey(rotation) == "b")
  }

  @Test func `tells what its keys do`() throws {
    let rotation = try rotation(next: "b")
    let status = rotation.status
    #expect(status.current == "a" && status.next == "b" && status.timeUntilNext == Self.lead && status.retired == [])
    clocks.advance(by: Self.lead)
    #expect(rotation.status.current == "b" && rotation.status.next == nil && rotation.status.retired == ["a"])
    try rotation.rotate(to: Self.signer("c"))
    #expect(rotation.status.current == "b" && rotation.status.next == "c" && rotation.status.retired == ["a"])
    clocks.advance(by: Self.lead)
    #expect(rotation.status.current == "c" && rotation.status.retired == ["b"])
  }

  @Test func `has one next key at a time`() throws {
    let rotation = try rotation(next: "b")
    let other = try Self.signer("c")
    #expect(refusal { try rotation.rotate(to: other) } == .invalidArgument)
    clocks.advance(by: .seconds(999))
    #expect(refusal { try rotation.rotate(to: other) } == .invalidArgument)
    #expect(try names(rotation) == ["a", "b"])
    clocks.advance(by: .seconds(1))
    #expect(refusal { try rotation.rotate(to: other) } == nil)
    #expect(try names(rotation) == ["a", "b", "c"])
  }

  @Test func `publishes keys of before as if they retired now`() throws {
    let old = try JWK(.privateKey(.generate(.p256)), keyID: "old")
    let rotation = try rotation(retired: [old])
    #expect(try names(rotation) == ["old", "a"])
    #expect(rotation.status.retired == ["old"])
    clocks.advance(by: .seconds(659))
    #expect(try names(rotation) == ["old", "a"])
    clocks.advance(by: .seconds(1))
    #expect(try names(rotation) == ["a"])
  }

  @Test func `publishes public halves with their algorithm, and nothing private`() throws {
    let signer = try TokenSigner(key: TokenScene.rsa, algorithm: .PS256, keyID: "a")
    let rotation = try SigningKeyRotation(
      current: signer, lead: Self.lead, tokenLifetime: Self.lifetime, clocks: clocks)
    let json = try #require(try rotation.published.json["keys"]?.array?.first)
    #expect(json.object?.names == ["kty", "n", "e", "kid", "alg", "use"])
    #expect(json["alg"] == "PS256" && json["use"] == "sig" && json["kid"] == "a")
  }

  @Test func `signs no token that outlives the publication of its key`() throws {
    let rotation = try rotation()
    #expect(try UnverifiedToken(rotation.sign(claims(600))).header.keyID == "a")
    for wrong in [claims(601), [:], ["exp": "soon"], ["exp": .null]] as [JSONObject] {
      #expect(refusal { try rotation.sign(wrong) } == .claimInvalid)
    }
    struct Visitor: Encodable { var exp: Double; var sub = "ada" }
    let exp = clocks.now().wall
    #expect(try UnverifiedToken(rotation.sign(Visitor(exp: exp + 600))).subject == "ada")
    #expect(refusal { try rotation.sign(Visitor(exp: exp + 601)) } == .claimInvalid)
  }

  @Test func `replaces keys that have become known at once`() throws {
    let rotation = try rotation(next: "b", retired: [JWK(.privateKey(.generate(.p256)), keyID: "old")])
    try rotation.replaceAll(with: Self.signer("c"))
    #expect(try names(rotation) == ["c"] && signingKey(rotation) == "c")
    #expect(rotation.status.next == nil && rotation.status.retired == [])
    try rotation.rotate(to: Self.signer("d"))
    #expect(try names(rotation) == ["c", "d"])
  }

  @Test func `counts on the boot clock: a wall clock that is set changes no key`() throws {
    let rotation = try rotation(next: "b")
    clocks.setWall(Date(wall: TokenScene.now + 1e6))
    #expect(try names(rotation) == ["a", "b"] && signingKey(rotation) == "a")
    clocks.advance(by: Self.lead)
    clocks.setWall(Date(wall: TokenScene.now - 1e6))
    #expect(try names(rotation) == ["a", "b"] && signingKey(rotation) == "b")
  }

  @Test func `takes keys with names of their own, and no shared secrets`() throws {
    func refused(_ current: TokenSigner, _ next: TokenSigner? = nil, _ retired: [JWK] = []) -> AuthError.Code? {
      refusal {
        try SigningKeyRotation(
          current: current, next: next, retired: retired, lead: Self.lead, tokenLifetime: Self.lifetime, clocks: clocks)
      }
    }
    let (a, b) = (try Self.signer("a"), try Self.signer("b"))
    let secret = try TokenSigner(key: SecretKey.generate(), keyID: "s")
    let nameless = try TokenSigner(key: TokenScene.p256)
    #expect(refused(a, b) == nil)
    for wrong in [secret, nameless] {
      #expect(refused(wrong) == .invalidArgument && refused(a, wrong) == .invalidArgument)
      let rotation = try rotation()
      #expect(refusal { try rotation.rotate(to: wrong) } == .invalidArgument)
      #expect(refusal { try rotation.replaceAll(with: wrong) } == .invalidArgument)
      #expect(try names(rotation) == ["a"])
    }
    #expect(refused(a, try Self.signer("a")) == .invalidArgument)
    #expect(refused(a, b, [try JWK(.privateKey(.generate(.p256)), keyID: "b")]) == .invalidArgument)
    #expect(refused(a, b, [try JWK(.symmetric(.generate()), keyID: "s")]) == .invalidArgument)
    let rotation = try rotation()
    let same = try Self.signer("a")
    #expect(refusal { try rotation.rotate(to: same) } == .invalidArgument)
    #expect(try names(rotation) == ["a"])
    for (lead, lifetime) in [(Duration.seconds(-1), Self.lifetime), (Self.lead, .zero), (Self.lead, .seconds(-1))] {
      #expect(
        refusal {
          try SigningKeyRotation(current: a, lead: lead, tokenLifetime: lifetime, clocks: clocks)
        } == .invalidArgument)
    }
  }

  @Test func `asks no clock while it holds its lock`() throws {
    // A clock that calls the rotation would wait forever, or stop the process in strict mode.
    final class Nosy: Clocks {
      let base: ManualClocks
      let asked = Lock<[SigningKeyRotation]>([])
      init(_ base: ManualClocks) { self.base = base }
      func now() -> ClockReading {
        // Removed first, so that the inner call does not recurse.
        for rotation in asked.withLock({ asked in
          defer { asked = [] }
          return asked
        }) { _ = rotation.status }
        return base.now()
      }
      func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
        base.wake(at: alarm, body)
      }
    }
    let nosy = Nosy(clocks)
    let rotation = try SigningKeyRotation(
      current: Self.signer("a"), lead: Self.lead, tokenLifetime: Self.lifetime, clocks: nosy)
    let again = { nosy.asked.withLock { $0 = [rotation] } }
    again()
    _ = rotation.status
    again()
    _ = try rotation.published
    again()
    _ = try rotation.sign(claims())
    again()
    try rotation.rotate(to: Self.signer("b"))
    #expect(nosy.asked.withLock { $0.isEmpty })
  }

  @Test func `gives each thread a key that is published`() throws {
    let rotation = try SigningKeyRotation(
      current: Self.signer("a"), lead: .seconds(100), tokenLifetime: .seconds(10_000), clocks: clocks)
    let tokens = Lock<[String]>([])
    let claims = claims()
    let signers = try ["b", "c", "d", "e"].map(Self.signer)
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      for round in 0..<40 {
        if index == 0, round % 10 == 0 {
          try? rotation.rotate(to: signers[round / 10])
          clocks.advance(by: .seconds(250))
        }
        guard let token = try? rotation.sign(claims) else { continue }
        tokens.withLock { $0.append(token) }
      }
    }
    let verifier = TokenVerifier(keys: try rotation.published, policy: VerificationPolicy(algorithms: [.ES256]))
    let all = tokens.withLock { $0 }
    #expect(all.count == 320)
    for token in all { #expect(TokenScene.refusal(of: token, by: verifier) == nil) }
    #expect(rotation.status.current == "e" && rotation.status.retired == ["a", "b", "c", "d"])
  }
}
