import GatehouseBase
import GatehouseLocal
import GatehouseTesting
import HangGuard
import IdentityToolkit
import Testing

/// With enumeration protection, a message that a client requests is delivered at a random time later (decision 154).
struct DelayedDeliveryTests {
  private static let clients = Caller(address: "198.51.100.1")

  private static func reset(_ email: String) -> SendOobCode {
    var call = SendOobCode(.passwordReset)
    call.email = email
    return call
  }

  private struct Delayed {
    let clocks = ManualClocks()
    let folder = TemporaryFolder()
    let outbox = Outbox()
    let backend: LocalBackend
    var client: some Backend { backend.backend(for: DelayedDeliveryTests.clients) }

    init(seed: UInt64 = 1, _ adjust: (inout LocalOptions) -> Void = { _ in }) async throws {
      let outbox = outbox
      backend = .cheap(folder.home, clocks) {
        $0.enumerationProtection = true
        $0.delivery = outbox
        $0.random = SeededRandomSource(seed: seed)
        adjust(&$0)
      }
      _ = try await backend.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    }

    /// Waits until this many messages wait for their time, or have left.
    func waiting(_ count: Int) async throws {
      while await backend.delayedDeliveries() != count {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  @Test(.endsIfItHangs, arguments: 1...5 as ClosedRange<UInt64>)
  func `a message waits for a random time, and one that is kept back for as long`(seed: UInt64) async throws {
    let delay = SeededRandomSource(seed: seed).unit() * 3
    for email in ["ada@example.com", "nobody@example.com"] {
      let scene = try await Delayed(seed: seed)
      _ = try await scene.client.answer(Self.reset(email))
      try await scene.waiting(1)
      while scene.clocks.sleepers == 0 { await Task.yield() }
      scene.clocks.advance(by: delay * 0.99)
      #expect(await scene.backend.delayedDeliveries() == 1 && scene.outbox.messages.isEmpty)
      scene.clocks.advance(by: delay * 0.02)
      try await scene.waiting(0)
      await scene.backend.settle()
      #expect(scene.outbox.messages.count == (email.hasPrefix("ada") ? 1 : 0))
    }
  }

  @Test(.endsIfItHangs) func `a close delivers the messages that wait, and none that is kept back`() async throws {
    let scene = try await Delayed()
    for email in ["ada@example.com", "nobody@example.com", "ada@example.com"] {
      _ = try await scene.client.answer(Self.reset(email))
    }
    try await scene.waiting(3)
    try await scene.backend.close()
    #expect(scene.outbox.messages.map(\.recipient) == ["ada@example.com", "ada@example.com"])
    #expect(await scene.backend.delayedDeliveries() == 0)
  }

  @Test(.endsIfItHangs) func `at most a thousand messages wait, and the next ones are delivered at once`() async throws
  {
    let scene = try await Delayed { $0.messageThrottle = .unlimited }
    for _ in 1...1000 { _ = try await scene.client.answer(Self.reset("nobody@example.com")) }
    try await scene.waiting(1000)
    _ = try await scene.client.answer(Self.reset("ada@example.com"))
    while scene.outbox.messages.isEmpty { await Task.yield() }
    #expect(await scene.backend.delayedDeliveries() == 1000)
    try await scene.backend.close()
    #expect(scene.outbox.messages.count == 1)
  }

  @Test(.endsIfItHangs) func `an emulator and a program that holds the provider deliver at once`() async throws {
    let emulator = try await Delayed { $0.acceptsUnverifiedIdentities = true }
    _ = try await emulator.client.answer(Self.reset("ada@example.com"))
    while emulator.outbox.messages.isEmpty { await Task.yield() }
    let own = try await Delayed()
    _ = try await own.backend.answer(Self.reset("ada@example.com"))
    while own.outbox.messages.isEmpty { await Task.yield() }
    #expect(await own.backend.delayedDeliveries() == 0)
    let open = try await Delayed { $0.enumerationProtection = false }
    _ = try await open.client.answer(Self.reset("ada@example.com"))
    #expect(open.outbox.messages.count == 1)
  }
}
