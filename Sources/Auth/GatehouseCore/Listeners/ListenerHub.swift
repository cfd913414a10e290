package import GatehouseBase
package import GatehouseQueues

/// The listeners and streams, and the latest event.
///
/// Every listener receives every change in order, each once, beginning with the state at its registration. Changes are
/// put on the listener's queue from the work queue, so that their order is the order in which they happened.
@WorkQueue
package final class ListenerHub {
  /// In the order of registration, which is the order of delivery.
  private var registrations = RegistrationList()
  private var current: SessionEvent?

  /// - Parameter current: the event that a listener receives at its registration; `nil` until it is known who is signed
  ///   in.
  nonisolated init(current: SessionEvent?) { self.current = current }

  deinit {
    for registration in registrations.all { registration.end() }
  }

  var count: Int { registrations.count }

  func add(_ registration: ListenerRegistration) {
    registrations.append(registration)
    if let current { registration.hear(current) }
  }

  func remove(_ registration: ListenerRegistration) {
    registrations.remove(registration)
    registration.end()
  }

  func publish(_ event: SessionEvent) {
    current = event
    for registration in registrations.all { registration.hear(event) }
  }

  func endAll() {
    let all = registrations.all  // copied first: ending a registration releases the app's closures
    registrations = RegistrationList()
    for registration in all { registration.end() }
  }
}

/// Registrations in the order in which they came. Removing one takes constant time on average: it leaves a gap, and the
/// gaps are removed when they make up half of the array.
private struct RegistrationList {
  private var elements: [ListenerRegistration?] = []
  private(set) var count = 0

  var all: [ListenerRegistration] { elements.compactMap(\.self) }

  @WorkQueue
  mutating func append(_ registration: ListenerRegistration) {
    registration.index = elements.count
    elements.append(registration)
    count += 1
  }

  @WorkQueue
  mutating func remove(_ registration: ListenerRegistration) {
    guard let index = registration.index, elements.indices.contains(index), elements[index] === registration else {
      return
    }
    registration.index = nil
    elements[index] = nil
    count -= 1
    guard elements.count > 32, count * 2 < elements.count else { return }
    elements = all
    for (index, registration) in elements.enumerated() { registration?.index = index }
  }
}

/// An event for listeners. A value, which does not change later.
package struct SessionEvent: Sendable {
  package let session: UserSession?
  /// The ID token at the time of the event.
  package let idToken: Secret?

  static let signedOut = SessionEvent(session: nil, idToken: nil)
}

/// One listener, or one stream.
package final class ListenerRegistration: Sendable {
  package enum Kind: Sendable {
    /// Changes of the signed-in user.
    case state
    /// Changes of the signed-in user, and each new ID token.
    case token
  }

  /// Delivers an event to the listener's queue or actor. There, `isActive` returns whether the listener still wants the
  /// event.
  package typealias Delivery = @Sendable (_ event: SessionEvent, _ isActive: @escaping @Sendable () -> Bool) -> Void

  private let kind: Kind
  private let deliver: Delivery
  private let onEnd: @Sendable () -> Void
  private let isActive = Lock(true)
  @WorkQueue private var heard: SessionEvent?
  /// Its index in the list of its `Auth`.
  @WorkQueue fileprivate var index: Int?

  /// Neither closure may hold an object of the app's, because both are released on the work queue.
  ///
  /// - Parameter onEnd: releases the listener on its queue or actor, after the last event. Called at least once.
  package init(_ kind: Kind, deliver: @escaping Delivery, onEnd: @escaping @Sendable () -> Void) {
    self.kind = kind
    self.deliver = deliver
    self.onEnd = onEnd
  }

  @WorkQueue
  fileprivate func hear(_ event: SessionEvent) {
    if let heard, heard.session == event.session, kind == .state || heard.idToken == event.idToken { return }
    heard = event
    deliver(event) { [isActive] in isActive.withLock { $0 } }
  }

  /// Stops deliveries, except for one call that may be in flight.
  package func silence() { isActive.withLock { $0 = false } }

  /// Ends the listener after the deliveries that are in flight.
  package func end() {
    silence()
    onEnd()
  }
}
