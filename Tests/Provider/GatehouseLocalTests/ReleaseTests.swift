import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit
import Logging
import Testing

/// Rule 7: nothing that the app configured a provider with is released on the work queue.
struct ReleaseTests {
  @Test func `a provider that is let go of while a message is under way releases the app's objects elsewhere`()
    async throws
  {
    let grave = Grave()
    let outbox = Outbox()
    outbox.hold()
    try await Self.ask(grave, outbox) { $0.enumerationProtection = true }
    #expect(grave.count == 0, "the message keeps them")
    outbox.release()
    #expect(await grave.burials(3) == [false, false, false], "the delivery, the clocks and the log's handler")
  }

  @Test func `so does one whose message took too long`() async throws {
    let grave = Grave()
    let outbox = Outbox()
    outbox.hold()
    await expectRefusal(.deadlineExceeded) {
      try await Self.ask(grave, outbox) { $0.deliveryTimeout = .milliseconds(1) }
    }
    outbox.release()
    #expect(await grave.burials(3) == [false, false, false])
  }

  /// Makes a provider with mourned objects, has it send a message, and lets go of it.
  private static func ask(
    _ grave: Grave, _ outbox: Outbox, _ adjust: (inout LocalOptions) -> Void
  ) async throws {
    let folder = TemporaryFolder()
    let backend = LocalBackend.cheap(folder.home, MournedClocks(mourner: Mourner(grave))) {
      $0.delivery = MournedDelivery(mourner: Mourner(grave), outbox: outbox)
      $0.logger = Logger(label: "test") { [mourner = Mourner(grave)] _ in MournedLog(mourner: mourner) }
      adjust(&$0)
    }
    _ = try await backend.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    var call = SendOobCode(.passwordReset)
    call.email = "ada@example.com"
    _ = try await backend.answer(call)
  }
}

/// Tells, for each object that is mourned, whether it died on the work queue.
private final class Grave: Sendable {
  private struct State: Sendable {
    var burials: [Bool] = []
    var awaited = Int.max
    var waiter: CheckedContinuation<[Bool], Never>?
  }

  private let state = Lock(State())

  var count: Int { state.withLock { $0.burials.count } }

  func bury(onWorkQueue: Bool) { note { $0.burials.append(onWorkQueue) } }

  /// Awaits so many deaths.
  func burials(_ count: Int) async -> [Bool] {
    await withCheckedContinuation { waiter in
      note {
        $0.awaited = count
        $0.waiter = waiter
      }
    }
  }

  private func note(_ change: (inout State) -> Void) {
    let burials: [Bool]
    let waiter: CheckedContinuation<[Bool], Never>?
    (waiter, burials) = state.withLock { state in
      change(&state)
      guard state.burials.count >= state.awaited else { return (nil, []) }
      defer { state.waiter = nil }
      return (state.waiter, state.burials)
    }
    waiter?.resume(returning: burials)
  }
}

private final class Mourner: Sendable {
  private let grave: Grave
  init(_ grave: Grave) { self.grave = grave }
  deinit { grave.bury(onWorkQueue: WorkQueue.executor.isCurrent) }
}

private struct MournedDelivery: MessageDelivery {
  let mourner: Mourner
  let outbox: Outbox
  func deliver(_ message: OutgoingMessage) async throws(AuthError) { try await outbox.deliver(message) }
}

private struct MournedClocks: Clocks {
  let mourner: Mourner
  func now() -> ClockReading { SystemClocks().now() }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    SystemClocks().wake(at: alarm, body)
  }
}

private struct MournedLog: LogHandler {
  let mourner: Mourner
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace
  init(mourner: Mourner) { self.mourner = mourner }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }
  func log(event: LogEvent) {}
}
