import Glibc

enum Machine {
  /// Swift's cooperative pool has as many threads.
  static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
  /// Dispatch makes no more threads than 255 for its pool, and one a second while all of them are blocked.
  static let moreThanAllThreads = 300
}
