import GatehouseBase
import Glibc

/// Another program: started, waited for, sent signals. The system calls for it, in safe Swift.
enum Spawn {
  /// How a program ended.
  enum Ending: Sendable, Equatable {
    case exited(Int32)
    case killed(by: Int32)

    /// As a shell counts.
    var status: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  /// Starts a program with this one's input and output, in this one's process group: the terminal's keys reach both.
  ///
  /// Throws `.invalidArgument` when it cannot be started.
  static func start(_ path: String, _ arguments: [String], environment: [String: String]) throws(AuthError) -> pid_t {
    // `unsafe`, here and below: what is pointed to lives until the call has returned, and is freed by then.
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe argv.forEach { unsafe free($0) }
      unsafe envp.forEach { unsafe free($0) }
      unsafe posix_spawnattr_destroy(&attributes)
    }
    // Signals as a program expects them, whatever this one does with its own.
    var none = sigset_t()
    var standard = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&standard)
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGCHLD] { unsafe sigaddset(&standard, signal) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &standard)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var id: pid_t = 0
    let failure = unsafe posix_spawn(&id, path, nil, &attributes, &argv, &envp)
    guard failure == 0 else {
      let reason = unsafe String(cString: strerror(failure))
      throw AuthError(.invalidArgument, "\(path) cannot be started: \(reason)")
    }
    return id
  }

  /// Waits on the calling thread until the program has ended.
  static func wait(for id: pid_t) -> Ending {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0 {
      if errno != EINTR { return .exited(1) }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
  }

  /// A new folder that is nobody else's.
  static func makeFolder() throws(AuthError) -> String {
    let root = environmentValue("TMPDIR") ?? "/tmp"
    var path = Array((root + "/gatehouse-queuecheck.XXXXXX").utf8CString)
    let isMade = unsafe path.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else { throw AuthError(.storeFailed, "no folder could be made in \(root)") }
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
