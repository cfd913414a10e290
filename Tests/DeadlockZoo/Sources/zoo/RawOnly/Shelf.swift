#if RAW
  import Glibc

  /// Two places for locks in one block of memory, as two `std::optional<std::mutex>` are. No call destroys the locks,
  /// and none initializes a new one: it has zeros.
  ///
  /// `@unchecked`: mutexes are there to be shared, and a place gets a new one only while no thread uses it.
  final class Shelf: @unchecked Sendable {
    private let places = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 2)

    /// - Parameter isMade: whether a call initializes the first two locks.
    init(isMade: Bool = false) {
      places.initialize(repeating: pthread_mutex_t(), count: 2)
      if isMade { for place in 0..<2 { pthread_mutex_init(places + place, nil) } }
    }

    deinit { places.deallocate() }

    /// Replaces both locks by new ones.
    func renew() { places.update(repeating: pthread_mutex_t(), count: 2) }

    /// Takes the lock at one place, and while it is held the other one.
    func take(first place: Int, meeting meet: () -> Void = {}) {
      pthread_mutex_lock(places + place)
      meet()
      pthread_mutex_lock(places + (1 - place))
      pthread_mutex_unlock(places + (1 - place))
      pthread_mutex_unlock(places + place)
    }
  }
#endif
