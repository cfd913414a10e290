import Gatehouse
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A store whose calls take as long as the schedule has it, and that must never be asked for two things at once.
final class WatchedStore: CredentialStore, UserShelf {
  enum Holding: Sendable { case calls, writes }

  private let memory: MemoryOfStores
  private let keepsUsers: Bool
  private let hasLock: Bool
  private let underWay = Lock(0)
  private let failures = Lock((left: 0, isLate: false))
  private let readFailures = Lock(0)
  /// The writes until the program is killed, and what happens then.
  private let end = Lock<(writes: Int, kill: @Sendable () -> Void)?>(nil)
  private let dead = Lock(false)
  private let slowness = Lock(false)
  private let replacements = Lock(0)
  private let context: ScheduleContext
  /// Which calls wait, cancelled or not.
  private let holding = Lock<Holding?>(nil)
  private let held = Lock<[CheckedContinuation<Void, Never>]>([])

  /// Two stores may share a memory, as two processes share a file.
  init(_ context: ScheduleContext, _ memory: MemoryOfStores, keepsUsers: Bool = false, hasLock: Bool = false) {
    self.hasLock = hasLock
    self.context = context
    self.memory = memory
    self.keepsUsers = keepsUsers
  }

  var content: StoredSession? { kept.current }
  /// All that is stored.
  var kept: SessionShelf { memory.shelf.withLock { $0 } }

  /// From now on writes fail when the schedule has it, so often at most.
  ///
  /// - Parameter isLate: whether some of them fail after they were made.
  func failSometimes(most: Int, isLate: Bool = false) { failures.withLock { $0 = (most, isLate) } }

  /// From now on reads fail when the schedule has it, so often at most.
  func failToReadSometimes(most: Int) { readFailures.withLock { $0 = most } }

  /// Ends the program after so many writes, before or after the last one was made: from then on every call fails.
  func killAfter(writes: Int, _ kill: @escaping @Sendable () -> Void) { end.withLock { $0 = (writes, kill) } }

  /// Ends the program: every call fails.
  func kill() {
    dead.withLock { $0 = true }
    memory.unlock(of: self)
  }

  /// From now on nothing fails, and the program is not killed.
  func isWell() {
    failures.withLock { $0.left = 0 }
    end.withLock { $0 = nil }
  }

  /// Whether the program was killed.
  var isDead: Bool { dead.withLock(\.self) }

  /// Whether a call takes a second of the schedule's time.
  var isSlow: Bool {
    get { slowness.withLock { $0 } }
    set { slowness.withLock { $0 = newValue } }
  }

  /// Comes when a sign-in is being stored, or will not be for a long time.
  func waitForSignIn() async {
    for _ in 0..<100 where replacements.withLock({ $0 == 0 }) { await context.yield() }
  }

  func load() async throws(AuthError) -> StoredSession? {
    try checkAlive()
    if readFailures.withLock({ $0 > 0 }), await context.coin() {
      readFailures.withLock { $0 -= 1 }
      throw AuthError(.storeUnreadable, "the disk does not answer")
    }
    return await alone(isWrite: false) { content }
  }

  func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
    let isSignIn = session?.generation == 1
    if isSignIn { replacements.withLock { $0 += 1 } }
    defer { if isSignIn { replacements.withLock { $0 -= 1 } } }
    return try await written { $0.write(session, if: condition) }
  }

  var shelf: (any UserShelf)? { keepsUsers ? self : nil }

  func sessions() async throws(AuthError) -> SessionShelf {
    try checkAlive()
    return await alone(isWrite: false) { kept }
  }

  func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
    try await written { stored in
      guard stored == known else { return false }
      stored = new
      return true
    }
  }

  func lock() async throws(AuthError) -> (any StoreLock)? {
    try checkAlive()
    guard hasLock else { return nil }
    guard let lock = memory.lock(for: self) else { throw AuthError(.storeInUse, "another Auth has it") }
    return lock
  }

  // MARK: Failures

  private enum Failure { case beforehand, late }

  /// Makes a write, unless it fails before that.
  private func written<Value: Sendable>(
    _ body: @Sendable (inout SessionShelf) -> Value
  ) async throws(AuthError) -> Value {
    try checkAlive()
    let failure = await failureOfNow()
    let value: Value? = await alone(isWrite: true) {
      failure == .beforehand ? nil : memory.shelf.withLock { body(&$0) }
    }
    try checkAlive()
    guard failure == nil, let value else { throw AuthError(.storeFailed, "the disk is full") }
    return value
  }

  private func failureOfNow() async -> Failure? {
    let isLast = end.withLock { end in
      guard let writes = end?.writes else { return false }
      end?.writes = writes - 1
      return writes == 0
    }
    if isLast {
      let isMade = await context.coin()
      dead.withLock { $0 = true }
      end.withLock { $0 }?.kill()
      memory.unlock(of: self)
      return isMade ? .late : .beforehand
    }
    let (left, isLate) = failures.withLock { $0 }
    guard left > 0, await context.coin() else { return nil }
    failures.withLock { $0.left -= 1 }
    guard isLate, await context.coin() else { return .beforehand }
    return .late
  }

  private func checkAlive() throws(AuthError) {
    if isDead { throw AuthError(.storeFailed, "the program has ended") }
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

  /// The store whose program has the lock.
  private let holder = Lock<ObjectIdentifier?>(nil)

  init(_ session: StoredSession?) { shelf = Lock(SessionShelf(current: session)) }

  fileprivate func lock(for store: WatchedStore) -> (any StoreLock)? {
    let isFree = holder.withLock { holder in
      guard holder == nil else { return false }
      holder = ObjectIdentifier(store)
      return true
    }
    return isFree ? MemoryLock(memory: self, store: store) : nil
  }

  /// Ends the lock of a store: when it is released, or its program was killed.
  fileprivate func unlock(of store: WatchedStore) {
    holder.withLock { if $0 == ObjectIdentifier(store) { $0 = nil } }
  }
}

private struct MemoryLock: StoreLock {
  let memory: MemoryOfStores
  let store: WatchedStore

  func release() { memory.unlock(of: store) }
}
