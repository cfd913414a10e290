import Glibc

/// The number of file descriptors that the calling process may have open.
package struct DescriptorLimit: Sendable {
  /// The limit that is in force.
  package let soft: Int
  /// The limit up to which the process may raise `soft`.
  package let hard: Int

  /// The limit now.
  package static var current: DescriptorLimit {
    get throws(SystemError) {
      var limit = rlimit()
      try systemCall("getrlimit", "") { unsafe getrlimit(resource, &limit) }
      return DescriptorLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }
  }

  /// The number of descriptors that the process may open now, besides those that are open.
  package static var free: Int {
    get throws(SystemError) {
      // One of them is that of the folder. Without `/proc`, none counts.
      let open = (try? OpenFolder("/proc/self/fd").names().count - 1) ?? 0
      return max(try current.soft - open, 0)
    }
  }

  /// Raises the soft limit to a number, or as far as the hard limit allows. Never lowers it.
  package static func raise(to count: Int) throws(SystemError) {
    let now = try current
    let soft = min(count, now.hard)
    guard soft > now.soft else { return }
    var limit = rlimit()
    (limit.rlim_cur, limit.rlim_max) = (rlim_t(clamping: soft), rlim_t(clamping: now.hard))
    try systemCall("setrlimit", "") { unsafe setrlimit(resource, &limit) }
  }

  /// Throws unless this many more descriptors can be opened now. For a moment it takes them: other threads must not
  /// need any.
  package static func requireFree(_ count: Int) throws(SystemError) {
    var taken: [Int32] = []
    defer { for descriptor in taken { close(descriptor) } }
    for _ in 0..<count {
      // `unsafe`: the kernel reads the literal up to its zero byte.
      taken.append(try systemCall("open", "") { unsafe open("/", O_RDONLY | O_CLOEXEC) })
    }
  }

  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
