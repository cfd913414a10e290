#if RAW
  import Glibc

  /// Something that one thread waits for on a condition.
  ///
  /// `@unchecked`: `isThere` is touched only while the mutex is held.
  final class Reply: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isThere = false

    init() {
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    func give() {
      pthread_mutex_lock(mutex)
      isThere = true
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    /// - Parameter isAwaited: happens while the mutex is held, so that a thread that waits for it gives the reply only
    ///   when this one waits for the condition.
    func wait(_ isAwaited: Event) {
      pthread_mutex_lock(mutex)
      isAwaited.happen()
      while !isThere { pthread_cond_wait(condition, mutex) }
      pthread_mutex_unlock(mutex)
    }
  }
#endif
