import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseTesting
import TestSupport
import Testing

/// A store that several clients fill.
struct `The shares of a replay store` {
  /// The digest of a number: the name of a use, or of a share.
  private static func digest(_ number: Int) -> [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 8))) }
  }

  private static func refusal(
    _ store: MemoryReplayStore, _ name: Int, share: Int?, until expiry: Double = 60, at now: Double = 0
  ) -> AuthError.Code? {
    TestSupport.refusal {
      let isFirst = try store.recordFirstUse(
        of: digest(name), share: share.map(digest), until: expiry, at: now)
      if !isFirst { throw AuthError(.tokenReplayed, "") }
    }
  }

  @Test func `are full each for itself`() {
    let store = MemoryReplayStore(maximumCount: 100, maximumShare: 10)
    for name in 0..<10 { #expect(Self.refusal(store, name, share: 1) == nil) }
    for name in 10..<1000 { #expect(Self.refusal(store, name, share: 1) == .replayShareFull) }
    #expect(store.count == 10)
    // Another client, and a use without a share.
    for name in 1000..<1010 { #expect(Self.refusal(store, name, share: 2) == nil) }
    #expect(Self.refusal(store, 2000, share: nil) == nil)
    // Remembered uses are rejected as replays, also in a full share and in another one.
    #expect(Self.refusal(store, 0, share: 1) == .tokenReplayed)
    #expect(Self.refusal(store, 0, share: 3) == .tokenReplayed)
    #expect(Self.refusal(store, 0, share: nil) == .tokenReplayed)
    #expect(Self.refusal(store, 2000, share: 1) == .tokenReplayed)
  }

  @Test func `have room again when their uses are forgotten, a minute after their end`() {
    let clocks = ManualClocks(wall: 0)
    let store = MemoryReplayStore(maximumCount: 100, maximumShare: 2, clocks: clocks)
    #expect(Self.refusal(store, 1, share: 1, until: 60) == nil)
    #expect(Self.refusal(store, 2, share: 1, until: 90) == nil)
    clocks.advance(by: 119)
    #expect(Self.refusal(store, 3, share: 1, until: 200, at: 119) == .replayShareFull)
    clocks.advance(by: 1)
    #expect(Self.refusal(store, 3, share: 1, until: 200, at: 120) == nil)
    clocks.advance(by: 29.5)
    #expect(Self.refusal(store, 4, share: 1, until: 200, at: 149.5) == .replayShareFull)
    clocks.advance(by: 1)
    #expect(Self.refusal(store, 4, share: 1, until: 200, at: 150.5) == nil)
    #expect(store.count == 2)
  }

  @Test func `are a fiftieth of the store, and never more than all of it`() {
    #expect(MemoryReplayStore().maximumShare == 2000)
    #expect(MemoryReplayStore(maximumCount: 2).maximumShare == 1)
    for (share, clamped) in [(-1, 1), (0, 1), (7, 7), (10, 10), (11, 10), (.max, 10)] {
      #expect(MemoryReplayStore(maximumCount: 10, maximumShare: share).maximumShare == clamped)
    }
  }

  @Test func `together fill the store, which then refuses all or shortens the window`() {
    let refusing = MemoryReplayStore(maximumCount: 16, maximumShare: 1)
    for name in 0..<16 { #expect(Self.refusal(refusing, name, share: name) == nil) }
    #expect(Self.refusal(refusing, 16, share: 16) == .replayStoreFull)
    #expect(Self.refusal(refusing, 17, share: nil) == .replayStoreFull)
    #expect(refusing.whenFull == .refuse)

    let shortening = MemoryReplayStore(maximumCount: 16, maximumShare: 1, whenFull: .shortenWindow)
    for name in 0..<16 { #expect(Self.refusal(shortening, name, share: name, until: 60 + Double(name)) == nil) }
    // The two that expire first make room; from then on, everything that expires no later is rejected, used or not.
    #expect(Self.refusal(shortening, 16, share: 16, until: 100) == nil)
    #expect(shortening.count == 15)
    for name in [0, 1, 100] {
      for expiry in [59, 60, 61] as [Double] {
        #expect(Self.refusal(shortening, name, share: nil, until: expiry) == .replayStoreFull)
      }
    }
    #expect(Self.refusal(shortening, 100, share: nil, until: 61.1) == nil)
    #expect(Self.refusal(shortening, 2, share: nil, until: 62) == .tokenReplayed)
  }

  @Test func `are never emptied in favor of a use that expires before all others`() {
    let store = MemoryReplayStore(maximumCount: 4, whenFull: .shortenWindow)
    for name in 0..<4 { #expect(Self.refusal(store, name, share: nil, until: 60) == nil) }
    #expect(Self.refusal(store, 4, share: nil, until: 59) == .replayStoreFull)
    // All of them were forgotten, because they expire at the same time, and none of them is accepted again.
    for name in 0..<4 { #expect(Self.refusal(store, name, share: nil, until: 60) == .replayStoreFull) }
    #expect(Self.refusal(store, 5, share: nil, until: 61) == nil)
  }

  /// Compared with a model that forgets nothing: everything that the store accepts must be new to the model.
  @Test(arguments: [MemoryReplayStore.WhenFull.refuse, .shortenWindow])
  func `let nothing in twice, whatever is full`(whenFull: MemoryReplayStore.WhenFull) {
    let clocks = ManualClocks(wall: 0)
    let store = MemoryReplayStore(maximumCount: 64, maximumShare: 8, whenFull: whenFull, clocks: clocks)
    var used: Set<Int> = []
    var accepted = 0
    var state: UInt64 = 14
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for step in 0..<20_000 {
      let now = Double(step) / 10
      clocks.setBoot(.seconds(now))
      // A proof's expiry is determined by its name, and it is sent again at any time before that.
      let name = Int(now) * 10 + random(600)
      let expiry = Double(name) / 10
      guard expiry > now, Self.refusal(store, name, share: random(40), until: expiry, at: now) == nil else { continue }
      #expect(used.insert(name).inserted, "\(name) was accepted twice, at \(now)")
      accepted += 1
    }
    #expect(accepted > 500)
    #expect(store.count <= 64)
  }
}

/// The shares of a store, as named by a `DPoPVerifier`.
struct `A client that floods with proofs` {
  private typealias Scene = ProofScene

  private static func refusal(
    _ verifier: DPoPVerifier, _ id: String, share: String?, request: DPoPRequest = Scene.request
  ) async throws -> AuthError.Code? {
    let proof = try Scene.proof(["jti": .string(id)])
    do {
      _ = try await verifier.verify(proof, for: request, share: share, at: Scene.now)
      return nil
    } catch { return error.code }
  }

  @Test func `locks out itself, and no other client`() async throws {
    let verifier = DPoPVerifier(replays: MemoryReplayStore(maximumCount: 40, maximumShare: 4))
    for number in 0..<60 {
      let code = try await Self.refusal(verifier, "flood-\(number)", share: "203.0.113.7")
      #expect(code == (number < 4 ? nil : .replayShareFull))
    }
    #expect(try await Self.refusal(verifier, "honest", share: "client-2") == nil)
    #expect(try await Self.refusal(verifier, "honest", share: "client-2") == .tokenReplayed)
    // A proof of one client counts as used for all of them.
    #expect(try await Self.refusal(verifier, "honest", share: "client-3") == .tokenReplayed)
    #expect(try await Self.refusal(verifier, "flood-0", share: "client-3") == .tokenReplayed)
    // Names are compared as bytes.
    for number in 0..<4 { #expect(try await Self.refusal(verifier, "a-\(number)", share: "caf\u{E9}") == nil) }
    #expect(try await Self.refusal(verifier, "a-4", share: "caf\u{E9}") == .replayShareFull)
    #expect(try await Self.refusal(verifier, "a-4", share: "cafe\u{301}") == nil)
  }

  @Test func `is known by its access token, where it has one`() async throws {
    let thumbprint = try JWK(.publicKey(TokenScene.p256.publicKey)).thumbprint()
    func request(_ subject: JSONValue?) throws -> DPoPRequest {
      var claims = TokenScene.claims("cnf", ["jkt": .string(thumbprint)])
      claims["sub"] = subject
      claims["client_id"] = "app"
      let verifier = TokenVerifier(keys: TokenScene.keys, policy: VerificationPolicy(algorithms: [.RS256]))
      let token = try verifier.verify(TokenScene.signed(claims), at: Scene.now)
      return try DPoPRequest(
        method: "POST", uri: "https://server.example.com/token", accessToken: Scene.accessToken, verified: token)
    }
    let verifier = DPoPVerifier(replays: MemoryReplayStore(maximumCount: 40, maximumShare: 1))
    let (ada, bob, app) = (try request("ada"), try request("bob"), try request(nil))
    #expect(try await Self.refusal(verifier, "1", share: nil, request: ada) == nil)
    #expect(try await Self.refusal(verifier, "2", share: nil, request: ada) == .replayShareFull)
    #expect(try await Self.refusal(verifier, "2", share: nil, request: bob) == nil)
    #expect(try await Self.refusal(verifier, "3", share: nil, request: app) == nil)
    #expect(try await Self.refusal(verifier, "4", share: nil, request: app) == .replayShareFull)
    // The caller's name takes precedence over the token's, and no caller's name equals a token's.
    #expect(try await Self.refusal(verifier, "4", share: "ada", request: ada) == nil)
    #expect(try await Self.refusal(verifier, "5", share: "ada", request: bob) == .replayShareFull)
    // Neither name is given: only the whole store's limit applies.
    for number in 10..<20 { #expect(try await Self.refusal(verifier, "\(number)", share: nil) == nil) }
  }

  /// A store that was written before shares existed.
  private actor OldStore: ReplayStore {
    private var used: Set<[UInt8]> = []
    func recordFirstUse(of name: [UInt8], until expiry: Date, at now: Date) async throws(AuthError) -> Bool {
      used.insert(name).inserted
    }
  }

  @Test func `is not limited by a store without shares, which still accepts each proof once`() async throws {
    let verifier = DPoPVerifier(replays: OldStore())
    #expect(try await Self.refusal(verifier, "1", share: "a") == nil)
    #expect(try await Self.refusal(verifier, "1", share: "a") == .tokenReplayed)
    #expect(try await Self.refusal(verifier, "1", share: "b") == .tokenReplayed)
    #expect(try await Self.refusal(verifier, "2", share: "a") == nil)
  }
}
