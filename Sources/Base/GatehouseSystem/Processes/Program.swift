import GatehouseBase
import Glibc

/// A program to start.
package struct Program: Sendable {
  package let path: String
  /// The arguments; the first one is the program's name.
  package let arguments: [String]
  /// The entries `NAME=value`, byte for byte.
  private let environment: [[UInt8]]
  /// Whether the program runs isolated: with empty standard input, its output redirected to this program's standard
  /// error, and its own process group, which the terminal's keys do not reach. It has no other descriptors, and a
  /// broken pipe terminates it. Otherwise it has the process group and the descriptors that this program was started
  /// with.
  package let isApart: Bool

  package init(_ path: String, _ arguments: [String], environment: [String: String], isApart: Bool = false) {
    self.path = path
    self.arguments = arguments
    self.environment = environment.map { Array("\($0.key)=\($0.value)".utf8) }
    self.isApart = isApart
  }

  /// Creates a program with the environment of this one, byte for byte.
  ///
  /// - Parameter variables: the variables to set; a variable whose value is `nil` is removed.
  package init(_ path: String, _ arguments: [String], setting variables: [String: String?], isApart: Bool = false) {
    self.path = path
    self.arguments = arguments
    environment =
      CurrentProcess.environment.filter { entry in
        !variables.keys.contains { entry.starts(with: "\($0)=".utf8) }
      } + variables.compactMap { name, value in value.map { Array("\(name)=\($0)".utf8) } }
    self.isApart = isApart
  }

  /// Whether the path is a plain file that this program's user may execute.
  package static func canStart(_ path: String) -> Bool {
    // Links to files count. A pipe may be executable as well, and reading it may never end.
    guard let status = try? FileStatus.at(path, followingLink: true), status.kind == .file else { return false }
    return (try? systemCall("access", path, passing: path) { unsafe access(path, X_OK) }) != nil
  }

  /// The descriptors that this program was started with, except standard input, output and error. Those that it opened
  /// itself are closed in programs that it starts.
  private static var inherited: [Int32] {
    let open = (try? OpenFolder("/proc/self/fd").names()) ?? []
    return open.compactMap { Int32($0) }.filter { descriptor in
      guard descriptor > STDERR_FILENO else { return false }
      let flags = fcntl(descriptor, F_GETFD)
      return flags >= 0 && flags & FD_CLOEXEC == 0
    }
  }

  /// Starts the program with no signal blocked. Signals that this program's parent ignored remain ignored there, but
  /// not those that this program itself handles or ignores. Files that this program has opened are closed there.
  package func start() throws(SystemError) -> RunningProgram { try start(standard: nil) }

  /// Starts an isolated program with these bytes as its standard input, and discards its output.
  ///
  /// The bytes are in a socket's buffer before the program starts, so neither waits for the other. Throws `.wouldWait`
  /// if there are more bytes than the system has room for.
  package func start(input: [UInt8]) throws(SystemError) -> RunningProgram {
    let inbox = try FilledSocket(input)
    return try start(standard: inbox.descriptor)
  }

  /// - Parameter input: the descriptor of the standard input; if it is given, the program's output is discarded.
  private func start(standard input: Int32?) throws(SystemError) -> RunningProgram {
    guard !arguments.contains(where: { $0.utf8.contains(0) }), !environment.contains(where: { $0.contains(0) }) else {
      throw SystemError(call: "posix_spawn", path: path, number: .invalid)
    }
    // `unsafe`, here and below: the pointees live until the call has returned, and are freed afterwards.
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup($0.map(CChar.init(bitPattern:)) + [0]) } + [nil]
    var attributes = posix_spawnattr_t()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawn_file_actions_init(&actions)
    defer {
      unsafe argv.forEach { unsafe free($0) }
      unsafe envp.forEach { unsafe free($0) }
      unsafe posix_spawnattr_destroy(&attributes)
      unsafe posix_spawn_file_actions_destroy(&actions)
    }
    var none = sigset_t()
    var standard = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&standard)
    // Starting a program resets handled signals. `SIGPIPE` is the one that this module ignores.
    if isApart || !CurrentProcess.brokenPipeWasIgnored { unsafe sigaddset(&standard, SIGPIPE) }
    // While `SIGCHLD` is ignored, the system does not report the end of a program.
    if Signal.childEnded.isIgnored { signal(SIGCHLD, SIG_DFL) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &standard)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if isApart {
      flags |= POSIX_SPAWN_SETPGROUP
      if let input {
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
      }
      for descriptor in Self.inherited { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
    }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var id: pid_t = 0
    try systemCall("posix_spawn", path, passing: path) { () -> Int32 in
      // `posix_spawn` returns its error number.
      errno = unsafe posix_spawn(&id, path, &actions, &attributes, &argv, &envp)
      return errno == 0 ? 0 : -1
    }
    return RunningProgram(id: id)
  }

  /// Replaces this program by the other one, which has its process ID, its input and its output. No signal is blocked
  /// there, and signals that this program's parent ignored remain ignored. Returns only if the program cannot be
  /// started.
  package func takeOver() throws(SystemError) -> Never {
    guard !arguments.contains(where: { $0.utf8.contains(0) }), !environment.contains(where: { $0.contains(0) }) else {
      throw SystemError(call: "execve", path: path, number: .invalid)
    }
    // `unsafe`: the kernel copies the strings, which end with a zero byte; both lists end with a null pointer.
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup($0.map(CChar.init(bitPattern:)) + [0]) } + [nil]
    defer {
      unsafe argv.forEach { unsafe free($0) }
      unsafe envp.forEach { unsafe free($0) }
    }
    if !CurrentProcess.brokenPipeWasIgnored { signal(SIGPIPE, SIG_DFL) }
    // The other program has the mask of this thread, and the threads of a pool block most signals.
    var none = sigset_t(), before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try systemCall("execve", path, passing: path) { unsafe execve(path, &argv, &envp) }
    throw SystemError(call: "execve", path: path, number: .invalid)
  }
}

/// A program that was started, until it has ended and was waited for.
package struct RunningProgram: Sendable {
  package let id: Int32

  /// The way in which a program ended.
  package enum Ending: Sendable, Equatable {
    case exited(Int32)
    case killed(by: Signal)

    /// The exit status that a shell would report.
    package var status: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): signal.status
      }
    }
  }

  /// Blocks the calling thread until the program has ended. When `mayGoOn` returns `false`, asks the program's group to
  /// end (SIGTERM), and kills it two seconds later. For an isolated program. Call once.
  ///
  /// - Parameter mayGoOn: polled a hundred times a second, because a wait inside the kernel has no timeout.
  package func wait(while mayGoOn: () -> Bool) throws(SystemError) -> Ending {
    var asked: Int64?
    while try !hasEnded() {
      let now = SystemTime.monotonic
      if let asked, now > asked + 2_000_000_000 {
        Signal.kill.send(toGroup: id)
        break
      }
      if asked == nil, !mayGoOn() {
        Signal.terminate.send(toGroup: id)
        asked = now
      }
      usleep(10_000)
    }
    return try wait()
  }

  /// Whether the program has ended; it can still be waited for.
  private func hasEnded() throws(SystemError) -> Bool {
    // `unsafe`: the kernel writes one value, to a variable of that type, which is zero before.
    var information = unsafe siginfo_t()
    try systemCall("waitid", "") { unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT | WNOHANG) }
    return unsafe information.si_signo != 0
  }

  /// Blocks the calling thread until the program has ended. Call once.
  ///
  /// - Parameter ended: runs when the program has ended but its process ID is not yet reused. Signals sent to the ID
  ///   before that reach no other process.
  package func wait(ended: () -> Void = {}) throws(SystemError) -> Ending {
    // `unsafe`, here and below: the kernel writes one value, to a variable of that type.
    var information = unsafe siginfo_t()
    try systemCall("waitid", "") { unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) }
    ended()
    var status: Int32 = 0
    try systemCall("waitpid", "") { unsafe waitpid(id, &status, 0) }
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: Signal(rawValue: signal))
  }
}
