import GatehouseBase
import GatehouseQueues

/// The provider of one `LocalBackend`, which is opened by the first call and closed after the last one.
///
///     a call comes           then
///     before the opening     it opens the provider, in its turn
///     during an opening      it waits; if that one fails it tries again, in its turn
///     while it is open       it begins at once
///     after `close()`        it is refused
///
/// Opening and closing are decided on the work queue, and run in the background like all work with the provider. The
/// open provider and the number of calls are one value behind a lock, so a call that only needs an open provider never
/// uses the work queue.
@WorkQueue
final class ProviderAccess {
  private typealias Failure = QueueFailure<AuthError>

  private struct State: Sendable {
    /// Boxed: releasing the last reference to a provider closes files, so a background thread takes it out.
    var provider: TakeOnce<Provider>?
    var isClosed = false
    /// The number of calls in progress, including cancelled ones, and of work that has followed calls.
    var calls = 0
    /// Whether the end of the last call is waited for.
    var isAwaited = false
  }

  private let make: @Sendable () throws(AuthError) -> Provider
  private nonisolated let state = Lock(State())
  /// Resolves when no call is in progress; made by a `close()` or `settle()` that waits for that.
  private var idle: Promise<Void, QueueFailure<AuthError>>?
  /// The queue for opening and closing, one at a time.
  private let door = SerialTaskQueue(label: "gatehouse.local.open", target: WorkQueue.executor)
  /// The background thread for opening and closing.
  private let background = BackgroundQueue(label: "gatehouse.local.open", width: 1)

  /// - Parameter make: opens a provider. Blocks: called on a background thread.
  nonisolated init(_ make: @escaping @Sendable () throws(AuthError) -> Provider) { self.make = make }

  /// Closing a database is slow, so it is not done on the thread that releases the last reference.
  deinit {
    guard let provider = state.withLock({ $0.provider }) else { return }
    background.async { try? provider.take()?.close() }
  }

  /// Returns the provider, if it is open. It stays open until the matching `leave()`, which must follow on a background
  /// thread. Usable from any thread.
  nonisolated func enter() -> Provider? {
    state.withLock { state in
      guard !state.isClosed, let provider = state.provider?.current else { return nil }
      state.calls += 1
      return provider
    }
  }

  /// Ends a call that has entered. Usable from any thread.
  nonisolated func leave() {
    if endsLastCall() { WorkQueue.begin { self.becameIdle() } }
  }

  /// Runs a call with the provider open, which stays open until the call has ended. A cancelled caller returns at once;
  /// its call continues.
  func use<Value: Sendable>(
    _ call: @escaping @WorkQueue @Sendable (Provider) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let end = Promise<Value, Failure>()
    try begin(call) { result in end.resolve(result.mapError(Failure.work)) }
    return try await end.result().mapError(\.asAuthError).typed()
  }

  /// Returns a call that runs work of a party on a thread of a queue, with the provider open.
  nonisolated func running<Value: Sendable>(
    _ work: @escaping @Sendable (Provider) throws(AuthError) -> Value, on queue: BackgroundQueue,
    for party: String = Caller.administrator.party
  ) -> @WorkQueue @Sendable () async throws(AuthError) -> Value {
    { () throws(AuthError) in
      try await self.use { provider throws(AuthError) in
        try await queue.run(for: party) { () throws(AuthError) in try work(provider) }
      }
    }
  }

  /// Like `use`, for a caller that waits for the result even if it is cancelled.
  func useToTheEnd<Value: Sendable>(
    _ call: @escaping @WorkQueue @Sendable (Provider) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let result: Result<Value, AuthError> = await untilResumed { caller in
      do throws(AuthError) { try begin(call) { caller.resume(returning: $0) } } catch {
        caller.resume(returning: .failure(error))
      }
    }
    return try result.typed()
  }

  private func begin<Value: Sendable>(
    _ call: @escaping @WorkQueue @Sendable (Provider) async throws(AuthError) -> Value,
    thenEnd end: @escaping @WorkQueue @Sendable (Result<Value, AuthError>) -> Void
  ) throws(AuthError) {
    try state.withLock { state throws(AuthError) in
      if state.isClosed { throw AuthError(.closed, "this provider was closed; make another one") }
      state.calls += 1
    }
    WorkQueue.begin {
      end(await outcome { () throws(AuthError) in try await call(try await self.opened()) })
      self.callEnded()
    }
  }

  /// Starts work that outlives a call in progress. The provider stays open until that work has ended too.
  nonisolated func follow(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { $0.calls += 1 }
    WorkQueue.begin {
      await work()
      self.callEnded()
    }
  }

  /// Work that has followed a call, and whose end one caller waits for.
  final class Following: Sendable {
    private typealias Outcome = Result<Void, AuthError>
    private let state = Lock<(outcome: Outcome?, caller: CheckedContinuation<Outcome, Never>?)>((nil, nil))

    fileprivate func resolve(_ outcome: Result<Void, AuthError>) {
      let caller = state.withLock { state in
        state.outcome = outcome
        return state.caller
      }
      caller?.resume(returning: outcome)
    }

    /// Waits for the end of the work, even if the caller is cancelled.
    func end() async throws(AuthError) {
      let outcome: Outcome = await untilResumed { caller in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.caller = caller }
          return state.outcome
        }
        if let outcome { caller.resume(returning: outcome) }
      }
      try outcome.typed()
    }
  }

  /// Like `follow`, for work that a caller waits for.
  nonisolated func following(_ work: @escaping @Sendable () async throws(AuthError) -> Void) -> Following {
    let end = Following()
    follow { end.resolve(await outcome { () throws(AuthError) in try await work() }) }
    return end
  }

  /// Runs the provider's chores after a call, if any are due. The provider stays open until they are done.
  nonisolated func beginChores(of provider: Provider, on background: BackgroundQueue, warning deliveries: Deliveries) {
    guard let work = provider.store.chores.begin() else { return }
    follow {
      var next: Chores.Work? = work
      while let work = next {
        let warning = await background.run { provider.upkeep.doChores(work) }
        if let warning { await deliveries.warn(warning) }
        // An event may have come while the others were written, and perhaps no other call follows.
        next = provider.store.chores.beginAudit()
      }
    }
  }

  /// Refuses calls from now on, waits for those in progress, and closes the provider. A cancelled caller returns at
  /// once; the closing continues.
  func close() async throws(AuthError) {
    state.withLock { $0.isClosed = true }
    let end = Promise<Void, Failure>()
    WorkQueue.begin {
      await self.untilIdle()
      end.resolve(
        await self.inTurn("close") { () throws(AuthError) in
          let opened = self.state.withLock { state in
            defer { state.provider = nil }
            return state.provider
          }
          guard let provider = opened else { return }
          try await self.background.run { () throws(AuthError) in try provider.take()?.close() }
        })
    }
    try await end.result().mapError(\.asAuthError).typed()
  }

  /// Waits until no call is in progress, and no work that has followed one: without end while calls overlap.
  func settle() async { await untilIdle() }

  private func opened() async throws(AuthError) -> Provider {
    if let provider = current { return provider }
    let result: Result<Provider, Failure> = await inTurn("open") { () throws(AuthError) in
      if let provider = self.current { return provider }
      let opened = try await self.background.run { [make = self.make] () throws(AuthError) in try make() }
      self.state.withLock { $0.provider = TakeOnce(opened) }
      return opened
    }
    return try result.mapError(\.asAuthError).typed()
  }

  private func inTurn<Value: Sendable>(
    _ name: StaticString, _ operation: @escaping @WorkQueue @Sendable () async throws(AuthError) -> Value
  ) async -> Result<Value, Failure> {
    await outcome { () throws(Failure) in
      try await self.door.run(name, deadline: nil) { () throws(Failure) in
        try await outcome(of: operation).mapError(Failure.work).get()
      }
    }
  }

  private var current: Provider? { state.withLock { $0.provider?.current } }

  private func callEnded() {
    if endsLastCall() { becameIdle() }
  }

  /// Counts the end of a call, and returns whether its end is waited for.
  private nonisolated func endsLastCall() -> Bool {
    state.withLock { state in
      state.calls -= 1
      guard state.calls == 0, state.isAwaited else { return false }
      state.isAwaited = false
      return true
    }
  }

  private func becameIdle() {
    idle?.resolve(.success(()))
    idle = nil
  }

  private func untilIdle() async {
    // Another call may have begun since the last one ended.
    while isBusy() {
      let idle = idle ?? Promise()
      self.idle = idle
      _ = await idle.result()
    }
  }

  /// Whether a call is in progress, whose end is waited for from now on.
  private func isBusy() -> Bool {
    state.withLock { state in
      state.isAwaited = state.calls > 0
      return state.isAwaited
    }
  }
}
