import GatehouseBase
import GatehouseQueues

/// The provider of one `LocalBackend`: opened by the first call, closed after the last one.
///
///     a call comes           then
///     before the opening     it opens the provider, in its turn
///     during an opening      it waits; if that one fails it tries again, in its turn
///     while it is open       it begins at once
///     after `close()`        it is refused
///
/// Opening and closing are decided on the work queue, and run in the background as all work with the provider does.
/// What a call asks while the provider is open, whether it is and to be counted, is one value behind a lock: a call
/// that needs no more than the provider never comes to the work queue.
@WorkQueue
final class ProviderAccess {
  private typealias Failure = QueueFailure<AuthError>

  private struct State: Sendable {
    /// Boxed: the last reference to a provider closes files, so a background thread takes it out.
    var provider: TakeOnce<Provider>?
    var isClosed = false
    /// The calls under way, and those of them that were cancelled.
    var calls = 0
  }

  private let make: @Sendable () throws(AuthError) -> Provider
  private nonisolated let state = Lock(State())
  /// Resolves when no call is under way; made by a `close()` that waits for that.
  private var idle: Promise<Void, QueueFailure<AuthError>>?
  /// One opening or closing at a time.
  private let door = SerialTaskQueue(label: "gatehouse.local.open", target: WorkQueue.executor)
  /// Their background thread.
  private let background = BackgroundQueue(label: "gatehouse.local.open", width: 1)

  /// - Parameter make: opens a provider. Blocks: called on a background thread.
  nonisolated init(_ make: @escaping @Sendable () throws(AuthError) -> Provider) { self.make = make }

  /// Closing a database is slow, and the thread that releases the last reference may be in a hurry.
  deinit {
    guard let provider = state.withLock({ $0.provider }) else { return }
    background.async { try? provider.take()?.close() }
  }

  /// The provider, if it is open. It stays open until the `leave()` that must follow, on a background thread. Any
  /// thread.
  nonisolated func enter() -> Provider? {
    state.withLock { state in
      guard !state.isClosed, let provider = state.provider?.current else { return nil }
      state.calls += 1
      return provider
    }
  }

  /// A call that has entered needs the provider no more. Any thread.
  nonisolated func leave() {
    if endsLastCall() { WorkQueue.begin { self.becameIdle() } }
  }

  /// Runs a call with the provider open, which stays open until the call has ended. A caller that is cancelled is
  /// released at once; its call goes on.
  func use<Value: Sendable>(
    _ call: @escaping @WorkQueue @Sendable (Provider) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let end = Promise<Value, Failure>()
    try begin(call) { result in end.resolve(result.mapError(Failure.work)) }
    return try await end.result().mapError(\.asAuthError).get()
  }

  /// The same for a caller that gets the result though it is cancelled.
  func useToTheEnd<Value: Sendable>(
    _ call: @escaping @WorkQueue @Sendable (Provider) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let result: Result<Value, AuthError> = await withCheckedContinuation { caller in
      do throws(AuthError) { try begin(call) { caller.resume(returning: $0) } } catch {
        caller.resume(returning: .failure(error))
      }
    }
    return try result.get()
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

  /// Begins what a call under way leaves behind. The provider stays open until that has ended, too.
  nonisolated func follow(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { $0.calls += 1 }
    WorkQueue.begin {
      await work()
      self.callEnded()
    }
  }

  /// Has the provider do its chores behind a call, if any are due. The provider stays open until they are done.
  nonisolated func beginChores(of provider: Provider, on background: BackgroundQueue, warning deliveries: Deliveries) {
    guard let work = provider.chores.begin() else { return }
    follow {
      let warning = await background.run { provider.doChores(work) }
      if let warning { await deliveries.warn(warning) }
    }
  }

  /// Refuses calls from now on, awaits those under way, and closes the provider. A caller that is cancelled is released
  /// at once; the closing goes on.
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
    try await end.result().mapError(\.asAuthError).get()
  }

  private func opened() async throws(AuthError) -> Provider {
    if let provider = current { return provider }
    let result: Result<Provider, Failure> = await inTurn("open") { () throws(AuthError) in
      if let provider = self.current { return provider }
      let opened = try await self.background.run { [make = self.make] () throws(AuthError) in try make() }
      self.state.withLock { $0.provider = TakeOnce(opened) }
      return opened
    }
    return try result.mapError(\.asAuthError).get()
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

  /// Counts the end of a call, and says whether a `close()` may wait for it.
  private nonisolated func endsLastCall() -> Bool {
    state.withLock { state in
      state.calls -= 1
      return state.calls == 0 && state.isClosed
    }
  }

  private func becameIdle() {
    idle?.resolve(.success(()))
    idle = nil
  }

  private func untilIdle() async {
    guard state.withLock({ $0.calls }) > 0 else { return }
    let idle = idle ?? Promise()
    self.idle = idle
    _ = await idle.result()
  }
}

extension QueueFailure where WorkError == AuthError {
  /// The failure as the provider's callers see it.
  var asAuthError: AuthError {
    switch self {
    case .work(let error): error
    case .wouldDeadlock(let queue):
      AuthError(.wouldDeadlock, "an operation on the queue \(queue) waited for that queue")
    case .deadline(let operation, let timeout): .deadlineExceeded(operation, after: timeout.inSeconds)
    case .cancelled: .cancelled
    }
  }
}
