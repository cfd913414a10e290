import Glibc

/// The images of memory that the kernel writes when a process crashes.
package enum CoreDumps {
  /// Forbids them for this process and those that it starts: its memory holds tokens.
  package static func forbid() throws(SystemError) {
    let none = rlimit(rlim_cur: 0, rlim_max: 0)
    try systemCall("setrlimit", "") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), [none]) }
  }
}
