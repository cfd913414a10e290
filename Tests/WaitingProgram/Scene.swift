import Foundation

/// A small program that waits, by its name: what `gate queuecheck` is tried on. It knows nothing of Gatehouse.
struct Scene {
  let name: String
  let play: () -> Void

  init(_ name: String, _ play: @escaping () -> Void) {
    self.name = name
    self.play = play
  }
}

/// Runs blocks one after the other on threads of their own, so that none of them can hang another one.
func inTurn(_ blocks: @Sendable () -> Void...) {
  for block in blocks {
    let thread = Thread(block: block)
    thread.start()
    while !thread.isFinished { usleep(200) }
  }
}

/// Returns once the main thread waits. The kernel sends no notice when a thread falls asleep: it must be asked, again
/// and again.
func untilMainSleeps() {
  while true {
    let status = (try? String(contentsOfFile: "/proc/self/task/\(getpid())/stat", encoding: .utf8)) ?? ""
    if status.split(separator: ")").last?.hasPrefix(" S") == true { return }
    usleep(200)
  }
}

/// Sleeps until there is a file `go` in the current folder; ten minutes at most.
func sleepUntilToldToGo() {
  var naps = 0
  while access("go", F_OK) != 0, naps < 12_000 {
    usleep(50_000)
    naps += 1
  }
}

/// A pthread mutex: seen, as `NSLock` is.
final class Mutex: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }
  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }
  func hold(_ body: () -> Void) {
    pthread_mutex_lock(mutex)
    body()
    pthread_mutex_unlock(mutex)
  }
  func tryToHold(_ body: () -> Void) {
    guard pthread_mutex_trylock(mutex) == 0 else { return }
    body()
    pthread_mutex_unlock(mutex)
  }
}

/// A read-write lock.
final class Shelf: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  init() {
    lock = .allocate(capacity: 1)
    pthread_rwlock_init(lock, nil)
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
