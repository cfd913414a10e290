import GatehouseBase
import GatehouseQueues

/// The state that the calls of an `AdminAuth` share. Everything that the app passed in is in the desk, which is used on
/// background threads and released on the callback queue.
final class AdminEnvironment: Sendable {
  let callbacks: CallbackQueue
  private let time: Timekeeper
  private let timeout: Duration
  private let threads = PoolShare(width: 4)
  /// Emptied in the `deinit`.
  private let held: TakeOnce<AdminDesk>

  init(_ desk: AdminDesk, callbacks: CallbackQueue, timeout: Duration) {
    let held = TakeOnce(desk)
    self.held = held
    self.callbacks = callbacks
    self.timeout = timeout
    time = Timekeeper { held.current?.clocks }
  }

  deinit { callbacks.release(held) }

  /// Carries out a call in the background. It ends with its result, at its deadline, or when its caller is cancelled,
  /// whichever comes first.
  @WorkQueue
  func perform<Value: Sendable>(
    _ name: StaticString, of tenantID: String?, timeout: Duration?,
    _ work: @escaping @Sendable (AdminDesk) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    if Task.isCancelled { throw .cancelled }
    let promise = Promise<Value, QueueFailure<AuthError>>()
    let underWay = Background.start(on: threads) { [held] in
      let result = await outcome { () async throws(AuthError) in
        guard var desk = held.current else { throw .cancelled }
        desk.tenantID = tenantID
        return try await work(desk)
      }
      WorkQueue.async("end an administrator's call") { promise.resolve(result.mapError { .work($0) }) }
    }
    let seconds = (timeout ?? self.timeout).inSeconds
    let alarm = time.after(seconds) {
      promise.resolve(.failure(.work(.deadlineExceeded("\(name)", after: seconds))))
      underWay.cancel()
    }
    promise.whenAbandoned { underWay.cancel() }
    defer { alarm.cancel() }
    switch await promise.result() {
    case .success(let value): return value
    case .failure(.work(let error)): throw error
    case .failure: throw .cancelled
    }
  }
}
