import Glibc

/// A thread of the program, by pthread.
struct Thread {
  private let handle: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    var handle = pthread_t()
    let box = Unmanaged.passRetained(Body(body)).toOpaque()
    let failure = pthread_create(
      &handle, nil,
      {
        Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run(); return nil
      }, box)
    precondition(failure == 0, "no thread: error \(failure)")
    self.handle = handle
  }

  /// Waits for its end.
  func join() { pthread_join(handle, nil) }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
