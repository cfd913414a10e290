import GatehouseCore
import GatehouseQueues

/// Called with the signed-in user, on the actor that the listener is isolated to, usually the main actor; without an
/// isolation, on the callback queue. The listener is released where it is called.
public typealias AuthListener = @isolated(any) @Sendable (Auth, User?) -> Void

/// Identifies a listener, so that it can be removed.
public struct AuthListenerHandle: Sendable {
  let registration: ListenerRegistration
  /// The `Auth` that the listener belongs to.
  let owner: ObjectIdentifier
}

// A listener is called on the callback queue: with the state at its registration, once that is known, then with every
// change, in order, each once. After `remove…` has returned on the callback queue, no more calls arrive; if it was
// called elsewhere, at most one call is in flight. Listeners may call Gatehouse, and add and remove listeners.
extension Auth {
  /// Adds a listener for the signed-in user.
  @discardableResult
  public func addStateDidChangeListener(
    @_inheritActorContext _ listener: @escaping AuthListener
  ) -> AuthListenerHandle {
    add(.state, listener)
  }

  /// Adds a listener for the signed-in user and every new ID token.
  @discardableResult
  public func addIDTokenDidChangeListener(
    @_inheritActorContext _ listener: @escaping AuthListener
  ) -> AuthListenerHandle {
    add(.token, listener)
  }

  /// Calls a block on the callback queue for every change of the user and every new ID token, from now on. A callback
  /// queue that is not drained is not reported.
  package func onEveryChange(_ block: @escaping @Sendable (Auth) -> Void) {
    addIDTokenDidChangeListener { @WorkQueue auth, _ in auth.engine.callbacks.deliverUnwatched { block(auth) } }
  }

  /// Removes a listener of this `Auth`; removing it again has no effect.
  public func removeStateDidChangeListener(_ handle: AuthListenerHandle) { remove(handle) }

  /// Removes a listener of this `Auth`; removing it again has no effect.
  public func removeIDTokenDidChangeListener(_ handle: AuthListenerHandle) { remove(handle) }

  private func add(_ kind: ListenerRegistration.Kind, _ listener: @escaping AuthListener) -> AuthListenerHandle {
    let callback = Callback(listener, isolatedTo: listener.isolation, on: engine.callbacks)
    // Weak: a listener must not keep its `Auth` alive.
    let registration = ListenerRegistration(kind) { [weak self] event, isActive in
      callback.deliver { [weak self] _, listener in
        guard isActive(), let self else { return }
        await listener(self, event.session.map { User($0, self.engine) })
      }
    } onEnd: {
      callback.end()
    }
    workQueue { engine.addListenerInternal(registration) }
    return AuthListenerHandle(registration: registration, owner: ObjectIdentifier(engine))
  }

  private func remove(_ handle: AuthListenerHandle) {
    guard handle.owner == ObjectIdentifier(engine) else { return }
    handle.registration.silence()
    workQueue { engine.removeListenerInternal(handle.registration) }
  }

  /// The number of listeners and streams.
  package var listenerCount: Int { read { engine.listenerCountInternal() } }
}
