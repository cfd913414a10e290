import Synchronization

/// A closure of the app, called and released where it belongs and never on the work queue.
///
///     the closure                       its place
///     is isolated to the main actor     the main actor
///     is isolated to another actor      that actor
///     has no isolation                  the callback queue
///
/// Deliveries that are made on the work queue arrive in order, each by a task of its own that carries none of the
/// caller's task-local values. For the main actor and the callback queue, it is enqueued there before `deliver` returns.
/// Another actor may have an executor of its own, which is the app's code: for it, deliveries wait in a line until the
/// work queue is free.
package final class Callback<Closure: Sendable>: Sendable {
  /// Calls the closure. Runs in the closure's place, and must not leave it before the call: deliveries would overtake
  /// each other. So the place's actor is a parameter, to which the invocation is isolated (decision 145).
  package typealias Invocation = @Sendable (isolated (any Actor)?, Closure) async -> Void

  private enum Place: Sendable {
    case queue
    case mainActor
    /// Boxed, because the app's actor must not be released on the work queue.
    case actor(TakeOnce<any Actor>, ObjectIdentifier)
  }

  private let closure: TakeOnce<Closure>
  private let place: Place
  private let queue: CallbackQueue
  /// Whether the closure's last delivery was enqueued. Nothing is enqueued after it: blocks of the main queue can run
  /// out of order while the runtime gives the main thread away, at the start of a program.
  private let isEnded = Atomic(false)

  /// Called on the caller's thread.
  ///
  /// - Parameter isolation: the actor that the closure is isolated to: `closure.isolation`.
  package init(_ closure: Closure, isolatedTo isolation: (any Actor)?, on queue: CallbackQueue) {
    self.closure = TakeOnce(closure)
    self.queue = queue
    place =
      switch isolation {
      case nil: .queue
      case let actor? where actor === MainActor.shared: .mainActor
      case let actor?: .actor(TakeOnce(actor), ObjectIdentifier(actor))
      }
  }

  deinit { end() }

  /// Calls the closure, unless it has been released by then.
  package func deliver(_ invocation: @escaping Invocation) {
    hand(over: { [closure] in closure.current }, invocation)
  }

  /// Calls the closure once, after everything that was delivered before, and releases it. A second call does nothing.
  package func end(_ invocation: @escaping Invocation = { _, _ in }) {
    guard !isEnded.exchange(true, ordering: .relaxed) else { return }
    hand(over: { [closure] in closure.take() }, invocation)
    guard case .actor(let box, let id) = place else { return }
    // After that delivery, so that no reference of it to the actor is the last one.
    queue.inOrder(for: id) { [queue] in queue.release(box) }
  }

  private func hand(over closure: @escaping @Sendable () -> Closure?, _ invocation: @escaping Invocation) {
    let block: CallbackQueue.IsolatedBlock = { place in
      if let closure = closure() { await invocation(place, closure) }
    }
    switch place {
    case .queue: queue.deliver(block)
    case .mainActor: queue.deliver(on: MainActor.shared, isMainActor: true, block)
    case .actor(let box, let id):
      queue.inOrder(for: id) { [queue] in
        if let actor = box.current { queue.deliver(on: actor, isMainActor: false, block) }
      }
    }
  }
}
