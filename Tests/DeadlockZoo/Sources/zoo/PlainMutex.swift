import Glibc

/// A pthread mutex with nothing around it, for what a `Lock` cannot do.
///
/// `@unchecked`: a mutex is there to be shared, and its address stays.
final class PlainMutex: @unchecked Sendable {
  enum Kind { case normal, recursive }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ kind: Kind) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    let type = kind == .recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL
    pthread_mutexattr_settype(&attributes, CInt(type))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func lockIfFree() -> Bool { pthread_mutex_trylock(mutex) == 0 }
  func unlock() { pthread_mutex_unlock(mutex) }
}
