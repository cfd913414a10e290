import Glibc

/// A pthread mutex whose address does not change until the mutex is destroyed.
///
/// `unsafe`: pthread takes a pointer. It is allocated and freed here, and lives as long as the mutex.
@safe
struct PthreadMutex: ~Copyable, @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    let failure = unsafe pthread_mutex_init(mutex, nil)
    precondition(failure == 0, "pthread_mutex_init failed with error \(failure)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(mutex) }
  func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
