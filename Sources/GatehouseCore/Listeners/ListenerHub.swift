package import GatehouseBase
package import GatehouseQueues

/// Who hears of changes, and what they have heard.
///
/// Every listener hears every change in order, none twice, beginning with the state at its registration. Changes are
/// put on the listener's queue from the work queue, so that their order is the order in which they happened.
@WorkQueue
package final class ListenerHub {
  /// In the order in which they came, which is the order in which they hear.
  private var registrations: [ListenerRegistration] = []
  private var current: SessionEvent?

  nonisolated init() {}

  deinit {
    for registration in registrations { registration.end() }
  }

  var count: Int { registrations.count }

  func add(_ registration: ListenerRegistration) {
    registrations.append(registration)
    if let current { registration.hear(current) }
  }

  func remove(_ registration: ListenerRegistration) {
    registrations.removeAll { $0 === registration }
    registration.end()
  }

  func publish(_ event: SessionEvent) {
    current = event
    for registration in registrations { registration.hear(event) }
  }

  func endAll() {
    let all = registrations  // out first: ending one lets go of the app's closures
    registrations = []
    for registration in all { registration.end() }
  }
}

/// What a listener is told: a value, never read again later.
package struct SessionEvent: Sendable {
  package let session: UserSession?
  /// The ID token at the time of the event.
  package let idToken: Secret?
}

/// One listener.
package final class ListenerRegistration: Sendable {
  package enum Kind: Sendable {
    /// Hears who is signed in.
    case state
    /// Hears of new ID tokens as well.
    case token
  }

  package typealias Closure = @Sendable (SessionEvent) -> Void

  private let kind: Kind
  private let closure: TakeOnce<Closure>
  private let onEnd: TakeOnce<@Sendable () -> Void>
  private let queue: CallbackQueue
  private let isActive = Lock(true)
  @WorkQueue private var heard: SessionEvent?

  /// - Parameter onEnd: runs on the queue, once, behind the last event.
  package init(
    _ kind: Kind, on queue: CallbackQueue, _ closure: @escaping Closure,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.kind = kind
    self.queue = queue
    self.closure = TakeOnce(closure)
    self.onEnd = TakeOnce(onEnd)
  }

  @WorkQueue
  fileprivate func hear(_ event: SessionEvent) {
    if let heard, heard.session == event.session, kind == .state || heard.idToken == event.idToken { return }
    heard = event
    queue.deliver { [self] in
      guard isActive.withLock({ $0 }) else { return }
      closure.current?(event)
    }
  }

  /// Delivers nothing more, but for one call that may be on its way.
  package func silence() { isActive.withLock { $0 = false } }

  /// Hands the closure to its queue, to be released there behind what is on its way.
  package func end() {
    silence()
    queue.deliver { [closure, onEnd] in
      _ = closure.take()
      onEnd.take()?()
    }
  }
}
