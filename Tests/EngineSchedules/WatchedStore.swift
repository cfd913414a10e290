import Gatehouse
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A store whose calls take as long as the schedule has it, and that must never be asked for two things at once.
final class WatchedStore: CredentialStore, UserShelf {
  enum Holding: Sendable { case calls, writes }

  private let memory: MemoryOfStores
  private let keepsUsers: Bool
  private let underWay = Lock(0)
  private let failures = Lock(0)
  private let slowness = Lock(false)
  private let replacements = Lock(0)
  private let context: ScheduleContext
  /// Which calls wait, cancelled or not.
  private let holding = Lock<Holding?>(nil)
  private let held = Lock<[CheckedContinuation<Void, Never>]>([])

  /// Two stores may share a memory, as two processes share a file.
  init(_ context: ScheduleContext, _ memory: MemoryOfStores, keepsUsers: Bool = false) {
    self.context = context
    self.memory = memory
    self.keepsUsers = keepsUsers
  }

  var content: StoredSession? { kept.current }
  /// All that is stored.
  var kept: SessionShelf { memory.shelf.withLock { $0 } }

  /// From now on writes fail when the schedule has it, so often at most.
  func failSometimes(most: Int) { failures.withLock { $0 = most } }

  /// Whether a call takes a second of the schedule's time.
  var isSlow: Bool {
    get { slowness.withLock { $0 } }
    set { slowness.withLock { $0 = newValue } }
  }

  /// Comes when a sign-in is being stored, or will not be for a long time.
  func waitForSignIn() async {
    for _ in 0..<100 where replacements.withLock({ $0 == 0 }) { await context.yield() }
  }

  func load() async throws(AuthError) -> StoredSession? { await alone(isWrite: false) { content } }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    let fails = await failsNow()
    let isSignIn = session?.generation == 1
    if isSignIn { replacements.withLock { $0 += 1 } }
    defer { if isSignIn { replacements.withLock { $0 -= 1 } } }
    let outcome: StoreOutcome? = await alone(isWrite: true) {
      guard !fails else { return nil }
      return memory.shelf.withLock { $0.write(session, if: condition) }
    }
    guard let outcome else { throw AuthError(.storeFailed, "the disk is full") }
    return outcome
  }

  var shelf: (any UserShelf)? { keepsUsers ? self : nil }

  func sessions() async throws(AuthError) -> SessionShelf { await alone(isWrite: false) { kept } }

  func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    let fails = await failsNow()
    let isWritten: Bool? = await alone(isWrite: true) {
      guard !fails else { return nil }
      return memory.shelf.withLock { stored in
        guard stored == known else { return false }
        stored = new
        return true
      }
    }
    guard let isWritten else { throw AuthError(.storeFailed, "the disk is full") }
    return isWritten
  }

  private func failsNow() async -> Bool {
    guard failures.withLock({ $0 > 0 }), await context.coin() else { return false }
    failures.withLock { $0 -= 1 }
    return true
  }

  /// Keeps all calls, or all writes, waiting until `release`.
  func hold(_ kind: Holding = .calls) { holding.withLock { $0 = kind } }

  /// Lets the calls that wait go on, and later ones pass.
  func release() {
    holding.withLock { $0 = nil }
    let released = held.withLock { held in
      defer { held = [] }
      return held
    }
    for call in released { call.resume() }
  }

  private func alone<Value: Sendable>(isWrite: Bool, _ body: () -> Value) async -> Value {
    let count = underWay.withLock { count in
      count += 1
      return count
    }
    context.check(count == 1, "the store was asked for \(count) things at once")
    await context.yield()
    if isSlow { await context.clocks.sleep(until: Alarm(boot: context.clocks.now().boot + 1)) }
    let kind = holding.withLock { $0 }
    if kind == .calls || (kind == .writes && isWrite) {
      await withCheckedContinuation { continuation in held.withLock { $0.append(continuation) } }
    }
    defer { underWay.withLock { $0 -= 1 } }
    return body()
  }
}

/// What stores keep their sessions in.
final class MemoryOfStores: Sendable {
  let shelf: Lock<SessionShelf>

  init(_ session: StoredSession?) { shelf = Lock(SessionShelf(current: session)) }
}
