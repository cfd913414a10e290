import Dispatch
package import GatehouseBase

/// Reads the app's clocks, and starts work on a queue after a time.
///
/// A clock is the app's code. It is called on a serial queue of its own for each `Auth`, never on the work queue or on
/// a thread that a backend could block. Neither the clock nor what it returns is released on the work queue.
package final class Timekeeper: Sendable {
  private let queue = DispatchQueue(label: "gatehouse.clocks")
  private let clocks: @Sendable () -> (any Clocks)?

  /// - Parameter clocks: returns the clocks, while there are any. Called off the work queue.
  package init(_ clocks: @escaping @Sendable () -> (any Clocks)?) { self.clocks = clocks }

  /// Runs quick code of the app, such as reading a clock or making a random number, and returns its result.
  package func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await untilResumed { continuation in
      queue.async(step: "clocks") {
        do throws(Failure) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Runs `body` on an executor's queue at a moment that either clock may reach first, unless it is cancelled before.
  ///
  /// - Parameter moment: computes the moment from the current reading of the clocks, on the clocks' queue.
  func at(
    _ moment: @escaping @Sendable (ClockReading) -> Alarm, on executor: SerialQueueExecutor,
    then body: @escaping @Sendable () -> Void
  ) -> Alarms.Handle {
    at(moment, orAfter: nil, on: executor, then: body)
  }

  /// - Parameter seconds: the real time after which the alarm rings all the same if the clocks have not taken it by
  ///   then: they never return.
  func at(
    _ moment: @escaping @Sendable (ClockReading) -> Alarm, orAfter seconds: Double?, on executor: SerialQueueExecutor,
    then body: @escaping @Sendable () -> Void
  ) -> Alarms.Handle {
    let handle = Alarms.Handle(on: queue, for: executor, body)
    if let seconds, Schedule.current == nil { handle.ringUnlessTaken(after: seconds) }
    queue.async(step: "alarm") { [clocks] in
      guard let clocks = clocks() else { return }
      handle.set { ring in clocks.wake(at: moment(clocks.now()), ring) }
    }
    return handle
  }
}

/// Alarms that run a block on an executor's queue.
package enum Alarms {
  /// An alarm that has been set, or is being set.
  package final class Handle: Sendable {
    private struct State: Sendable {
      var body: (@Sendable () -> Void)?
      /// Boxed: the value that the app's clock returned must not be released on the work queue.
      var cancellation: TakeOnce<AlarmCancellation>?
      var hasRung = false
      /// The alarm's number in the watch, until the clocks have taken it.
      var watched: Int?
    }

    /// The clocks' queue.
    private let queue: DispatchQueue
    private let executor: SerialQueueExecutor
    private let state: Lock<State>

    fileprivate init(
      on queue: DispatchQueue, for executor: SerialQueueExecutor, _ body: @escaping @Sendable () -> Void
    ) {
      self.queue = queue
      self.executor = executor
      state = Lock(State(body: body))
    }

    /// Sets the alarm, unless it was cancelled. Called on the clocks' queue.
    fileprivate func set(_ wake: (@escaping @Sendable () -> Void) -> AlarmCancellation) {
      defer { unwatch() }
      guard state.withLock({ $0.body != nil }) else { return }
      let cancellation = TakeOnce(wake { self.ring() })
      let isOver = state.withLock { state in
        guard state.body != nil, !state.hasRung else { return true }
        state.cancellation = cancellation
        return false
      }
      if isOver { cancellation.take()?.cancel() }
    }

    /// Rings after a real time if the clocks have not taken the alarm by then. Called before it is set.
    fileprivate func ringUnlessTaken(after seconds: Double) {
      let number = AlarmWatch.shared.add(after: seconds) { [weak self] in self?.ringUnlessTaken() }
      state.withLock { $0.watched = number }
    }

    private func unwatch() {
      if let number = state.withLock({ $0.watched.take() }) { AlarmWatch.shared.remove(number) }
    }

    private func ringUnlessTaken() {
      if state.withLock({ $0.body != nil && !$0.hasRung && $0.cancellation == nil }) { ring() }
    }

    /// Called by the app's clock, on any thread.
    private func ring() {
      let cancellation = state.withLock { state in
        defer { state.cancellation = nil }
        state.hasRung = true
        return state.cancellation
      }
      _ = cancellation?.take()
      executor.async("alarm") {
        let body = self.state.withLock { state in
          defer { state.body = nil }
          return state.body
        }
        body?()
      }
    }

    /// Cancels the alarm. Called on the executor's queue: the body does not begin after this.
    package func cancel() {
      unwatch()
      let (body, cancellation) = state.withLock { state in
        defer { state = State() }
        return (state.body, state.cancellation)
      }
      withExtendedLifetime(body) {}
      if let cancellation { cancelOnTheClocksQueue(cancellation) }
    }

    deinit {
      unwatch()
      if let cancellation = state.withLock({ $0.cancellation }) { cancelOnTheClocksQueue(cancellation) }
    }

    private func cancelOnTheClocksQueue(_ cancellation: TakeOnce<AlarmCancellation>) {
      queue.async(step: "cancel an alarm") { cancellation.take()?.cancel() }
    }
  }
}
