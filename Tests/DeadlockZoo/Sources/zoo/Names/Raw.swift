#if RAW
  import Dispatch
  import Glibc

  // What the cases are written with, as Dispatch and pthread have it.

  typealias SerialQueue = DispatchQueue
  typealias Semaphore = DispatchSemaphore
  typealias Group = DispatchGroup

  /// A dispatch queue on which blocks may run side by side.
  struct ConcurrentQueue: Sendable {
    private let queue: DispatchQueue

    @inline(__always)
    init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

    func sync<Result>(_ block: () -> Result) -> Result { queue.sync(execute: block) }
    func async(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
    func syncBarrier<Result>(_ block: () -> Result) -> Result { queue.sync(flags: .barrier, execute: block) }
    func asyncBarrier(_ block: @escaping @Sendable () -> Void) { queue.async(flags: .barrier, execute: block) }
  }

  extension DispatchQueue {
    /// A queue that is made with one target and gets another before it begins.
    static func moved(label: String, from old: DispatchQueue, to new: DispatchQueue) -> DispatchQueue {
      let queue = DispatchQueue(label: label, attributes: .initiallyInactive, target: old)
      queue.setTarget(queue: new)
      queue.activate()
      return queue
    }
  }

  extension DispatchSemaphore {
    /// Declares the queue that will signal it. The raw semaphore ignores that.
    convenience init(value: Int, signaledBy _: DispatchQueue) { self.init(value: value) }

    /// Whether it was signaled in time.
    func wait(timeout: Duration) -> Bool { wait(timeout: .now() + timeout / .seconds(1)) == .success }
  }

  /// One value behind a mutex.
  ///
  /// `@unchecked`: `value` is touched only while the mutex is held.
  final class Lock<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
      self.value = value
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return body(&value)
    }
  }

  /// Nothing watches from inside.
  enum Monitor {
    static func start(hangs _: Bool) {}
    static func finish() -> Never { exit(0) }
  }
#endif
