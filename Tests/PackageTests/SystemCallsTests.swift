import Testing

/// A way into the system that goes past `GatehouseSystem`.
struct SystemWay: Sendable, CustomTestStringConvertible {
  let name: String
  /// Words, of which a line has one if the pattern matches it: to look for words takes a tenth of the time.
  let words: Set<String>
  let pattern: String
  /// Code that takes it.
  let examples: [String]

  var testDescription: String { name }

  /// Names that no function of ours has.
  private static let plain = """
    openat creat close pread pwrite lseek dup dup2 dup3 pipe2 fcntl ioctl flock lockf fsync fdatasync truncate ftruncate
    fstat lstat fstatat chmod fchmod fchmodat chown fchown lchown umask mkdir mkdirat mkdtemp mkstemp mkfifo rmdir unlink
    unlinkat renameat linkat symlink symlinkat readlink readlinkat opendir fdopendir readdir closedir getcwd chdir fchdir
    isatty tcgetattr tcsetattr tcgetpgrp tcsetpgrp getpgrp setpgid setsid kill killpg raise sigaction sigprocmask
    pthread_sigmask waitpid waitid fork vfork execv execve execvp posix_spawn posix_spawnp exit _exit getpid getppid
    getuid geteuid getgid getegid setuid seteuid setgid setegid getenv setenv unsetenv dlopen dlsym socket socketpair
    listen mmap munmap mprotect nanosleep usleep strerror strerror_r syscall sysconf setrlimit getrlimit fopen fread
    fwrite fclose popen
    """
  /// Names that functions of ours have as well. With a pointer, strict memory safety asks for `unsafe`.
  private static let ours =
    "open read write stat rename link access bind connect accept send recv poll select pipe signal remove"

  private static func words(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

  static let all = [
    SystemWay(
      name: "the C library", words: ["import"], pattern: #"\bimport\s+(\w+\s+)?(Glibc|Musl|SystemPackage|System)\b"#,
      examples: ["import Glibc", "package import Glibc", "import func Glibc.open"]),
    SystemWay(
      name: "a call by its module", words: ["Glibc", "Foundation", "Dispatch"],
      pattern: #"\b(Glibc|Foundation|Dispatch)\.[a-z]\w*\s*\("#,
      examples: ["Foundation.exit(1)", "unsafe Glibc.read(descriptor, start, count)"]),
    // After a dot it is a method's name, and after `func` a declaration.
    SystemWay(
      name: "a call", words: Set(words(plain)),
      pattern: #"(?:^\s*|[^.\w\s]\s*|\b(?!func\b)\w+\s+)(?:"# + words(plain).joined(separator: "|") + #")\s*\("#,
      examples: [
        "close(descriptor)", "guard fsync(1) == 0 else { return }", "if isatty(STDIN_FILENO) == 1 {",
        "func f() { close(3) }",
      ]),
    SystemWay(
      name: "a call with a pointer", words: ["unsafe"],
      pattern: #"\bunsafe\s+("# + words(ours).joined(separator: "|") + #")\s*\("#,
      examples: ["let descriptor = unsafe open(path, O_RDONLY)"]),
    SystemWay(
      name: "the number of a failure", words: ["errno"], pattern: #"\berrno\b"#,
      examples: ["guard errno == EINTR else {"]),
    SystemWay(
      name: "Foundation's files and programs",
      words: ["FileManager", "FileHandle", "Process", "Pipe", "contentsOfFile", "contentsOf"],
      pattern: #"\b(FileManager|FileHandle|Process|Pipe)\b\s*[(.]|\bcontentsOfFile\s*:|\b(Data|String)\(contentsOf\b"#,
      examples: [
        "FileManager.default.removeItem(atPath: path)", "FileHandle(forReadingFrom: url)", "let process = Process()",
        "try String(contentsOfFile: path, encoding: .utf8)", "try Data(contentsOf: url)",
      ]),
  ]

  /// Folders and files, each with its reason. What ends in a slash is a folder.
  static let allowed: [String: String] = [
    "Sources/Base/GatehouseSystem/": "the one way into the system",
    "Sources/Base/GatehouseBase/Time/SystemClocks.swift": "the clocks, and the number of the machine's start",
    "Sources/Base/GatehouseBase/Bytes/SpanBytes.swift": "memchr and memcmp",
    "Sources/Base/GatehouseBase/Workspaces.swift": "how many processors there are, and which thread calls",
    "Sources/Queues/GatehouseQueues/UnwatchedLocks/PthreadMutex.swift": "a pthread mutex",
    "Sources/Queues/GatehouseQueues/Background/ThreadPriority.swift": "nice, for the thread that calls",
    "Sources/Queues/GatehouseQueues/Locks/StripedSnapshot.swift":
      "how many processors there are, and which thread calls",
    "Sources/Queues/GatehouseQueues/Monitor/Recorder.swift": "the number of this process is that of its main thread",
    "Sources/Queues/GatehouseQueues/Images/MappedImages.swift": "reads this process's own mappings for backtraces",
    "Sources/Queues/GatehouseSchedules/Scheduler/ControlledScheduler.swift": "looks up the runtime's hook",
    "Sources/Queues/GatehouseSchedules/Scheduler/ControlledScheduler+State.swift": "ends the process that hangs",
    "Sources/Queues/GatehouseSchedules/Exploration/CrashReporter.swift": "a handler of signals writes the seed",
    "Sources/gate/QueueCheck/SwiftVariableName.swift": "frees what the runtime's demangler has made",
    "Sources/Tokens/GatehouseCrypto/OpenSSL/": "`read` and `write` are closures that hold OpenSSL's functions",
  ]

  /// The places at which a file goes this way.
  func places(in file: SourceFile) throws -> [String] { try file.places(of: pattern, amongLinesWith: words) }

  /// Where a file goes past `GatehouseSystem`.
  static func places(in file: SourceFile) throws -> [String] {
    guard !allowed.keys.contains(where: { $0.hasSuffix("/") ? file.path.hasPrefix($0) : file.path == $0 }) else {
      return []
    }
    return try all.flatMap { try $0.places(in: file) }
  }
}

struct SystemCallsTests {
  @Test func `there is one way into the system`() throws {
    let places = try Repository.sources(in: "Sources").flatMap(SystemWay.places)
    #expect(places == [])
  }

  @Test(arguments: SystemWay.all)
  func `a way past it is found`(way: SystemWay) throws {
    for example in way.examples {
      let file = SourceFile(path: "Sources/gate/New.swift", text: example)
      #expect(try way.places(in: file).count == 1, "\(example)")
      #expect(try !SystemWay.places(in: file).isEmpty, "\(example)")
      let inside = SourceFile(path: "Sources/Base/GatehouseSystem/Files/New.swift", text: example)
      #expect(try SystemWay.places(in: inside) == [], "\(example)")
    }
  }

  @Test(arguments: [
    "try folder.open(name)", "try backend.open()", "package func close() throws {", "let exit = 1",
    "// close(descriptor)",
    "try read(in: folder)", "import GatehouseSystem", "enum Signal { case signal(Int) }", "process.run()",
    "ProcessInfo.processInfo.environment",
  ])
  func `what only looks like one is not`(line: String) throws {
    #expect(try SystemWay.places(in: SourceFile(path: "Sources/gate/New.swift", text: line)) == [])
  }

  @Test func `every exception is needed`() throws {
    let sources = try Repository.sources(in: "Sources")
    for place in SystemWay.allowed.keys {
      let files = sources.filter { $0.path.hasPrefix(place) }
      let uses = try SystemWay.all.flatMap { way in try files.flatMap { try way.places(in: $0) } }
      #expect(!uses.isEmpty, "\(place) goes past GatehouseSystem no more")
    }
  }
}
