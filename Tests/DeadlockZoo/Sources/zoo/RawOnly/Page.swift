#if RAW
  import Glibc

  /// An object with a lock that no call initializes: its memory is zeroed.
  ///
  /// `@unchecked`: a mutex is there to be shared, and its address stays.
  final class Page: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { mutex.initialize(to: pthread_mutex_t()) }

    deinit { mutex.deallocate() }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
  }
#endif
