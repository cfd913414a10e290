#if RAW
  import Glibc

  /// A pthread read-write lock of either kind.
  ///
  /// `@unchecked`: a lock is there to be shared, and its address stays.
  final class ReadWriteLock: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    init(prefersWriters: Bool) {
      var attributes = pthread_rwlockattr_t()
      pthread_rwlockattr_init(&attributes)
      if prefersWriters {
        pthread_rwlockattr_setkind_np(&attributes, CInt(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
      }
      pthread_rwlock_init(lock, &attributes)
      pthread_rwlockattr_destroy(&attributes)
    }

    deinit {
      pthread_rwlock_destroy(lock)
      lock.deallocate()
    }

    func read(_ body: () -> Void) {
      pthread_rwlock_rdlock(lock)
      body()
      pthread_rwlock_unlock(lock)
    }

    func write(_ body: () -> Void) {
      pthread_rwlock_wrlock(lock)
      body()
      pthread_rwlock_unlock(lock)
    }
  }
#endif
