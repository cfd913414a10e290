package import GatehouseBase
package import GatehouseQueues

/// The listeners and streams, and what they have heard.
///
/// Every listener hears every change in order, none twice, beginning with the state at its registration. Changes are
/// put on the listener's queue from the work queue, so that their order is the order in which they happened.
@WorkQueue
package final class ListenerHub {
  /// In the order of their registration, which is the order in which they hear.
  private var registrations: [ListenerRegistration] = []
  private var current: SessionEvent?

  /// - Parameter current: what a listener hears at its registration; `nil` until it is known who is signed in.
  nonisolated init(current: SessionEvent?) { self.current = current }

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
    let all = registrations  // out first: ending one releases the app's closures
    registrations = []
    for registration in all { registration.end() }
  }
}

/// An event for listeners: a value, never read again later.
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

  /// Delivers an event to the listener's queue or actor. There, `isActive` tells whether the listener still wants it.
  package typealias Delivery = @Sendable (_ event: SessionEvent, _ isActive: @escaping @Sendable () -> Bool) -> Void

  private let kind: Kind
  private let deliver: Delivery
  private let onEnd: @Sendable () -> Void
  private let isActive = Lock(true)
  @WorkQueue private var heard: SessionEvent?

  /// Neither closure holds anything of the app's, because both die on the work queue.
  ///
  /// - Parameter onEnd: releases the listener on its queue or actor, after the last event. Called once or more often.
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

  /// Delivers nothing more, except one call that may be in flight.
  package func silence() { isActive.withLock { $0 = false } }

  /// Ends the listener after the deliveries that are in flight.
  package func end() {
    silence()
    onEnd()
  }
}
