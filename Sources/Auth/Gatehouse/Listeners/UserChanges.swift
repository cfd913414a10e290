import GatehouseCore
import GatehouseQueues

/// A sequence of the current user at each change, beginning with the present user.
///
/// Never fails, and ends when the `Auth` is closed or released. A reader that is slower than the changes skips to the
/// latest. Does not need a main queue. Leaving the loop, or cancelling its task, unregisters the reader.
public struct UserChanges: AsyncSequence, Sendable {
  /// The signed-in user; `nil` if there is none.
  public typealias Element = User?
  /// The sequence never fails.
  public typealias Failure = Never

  let kind: ListenerRegistration.Kind
  /// Weak: a loop over a sequence that its task holds ends when the `Auth` is released.
  weak let engine: AuthEngine?

  /// Registers with the `Auth`; the first element is the present user, once that is known.
  public func makeAsyncIterator() -> AsyncStream<User?>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(of: User?.self, bufferingPolicy: .bufferingNewest(1))
    guard let engine else {
      continuation.finish()
      return stream.makeAsyncIterator()
    }
    let streams = engine.streams
    let registration = ListenerRegistration(kind) { [weak engine] event, isActive in
      streams.deliver { [weak engine] in
        guard isActive(), let engine else { return }
        continuation.yield(event.session.map { User($0, engine) })
      }
    } onEnd: {
      streams.deliver { continuation.finish() }
    }
    continuation.onTermination = { [weak engine] _ in
      registration.silence()
      WorkQueue.async { engine?.removeListenerInternal(registration) }
    }
    workQueue { engine.addListenerInternal(registration) }
    return stream.makeAsyncIterator()
  }
}

extension Auth {
  /// The signed-in user at each change.
  public var authStateChanges: UserChanges { UserChanges(kind: .state, engine: engine) }

  /// The signed-in user at each change and with each new ID token.
  public var idTokenChanges: UserChanges { UserChanges(kind: .token, engine: engine) }
}

extension Auth {
  /// Runs a block after all events that are in flight to the streams. For tests.
  package func deliverBehindStreams(_ block: @escaping @Sendable () -> Void) { engine.streams.deliver(block) }
}
