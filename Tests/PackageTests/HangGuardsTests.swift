import Testing

/// A limit of time that ends what hangs, and is not that of `HangGuard`: a busy machine would make it end what works.
struct OwnLimit: Sendable, CustomTestStringConvertible {
  let name: String
  let pattern: String
  /// Code that has one.
  let examples: [String]

  var testDescription: String { name }

  static let all = [
    OwnLimit(
      name: "an alarm", pattern: #"\b(u?alarm|setitimer|timer_create)\s*\((?!\\\(Watchdog\b)"#,
      examples: ["alarm(60)", "ualarm(1, 0)", "if hangs { alarm(seconds) }"]),
    OwnLimit(
      name: "a time limit of Swift Testing", pattern: #"\.timeLimit\b"#,
      examples: ["@Suite(.timeLimit(.minutes(1))) struct S {", "@Test(.serialized, .timeLimit(limit))"]),
    OwnLimit(
      name: "a limit of the shell", pattern: #"\btimeout("\s*,\s*\[?\s*")?\s*[0-9]"#,
      examples: ["timeout 60 gate jwks", #"ChildProcess("timeout", ["60", "true"])"#]),
    OwnLimit(
      name: "a limit of a socket", pattern: #"\btv_sec:\s*[1-9]"#, examples: ["timeval(tv_sec: 20, tv_usec: 0)"]),
    OwnLimit(
      name: "a wait with a limit of Dispatch",
      pattern: #"\bwait\((timeout|wallTimeout):\s*\.now\(\)|asyncAfter\((?!.*Watchdog\b)"#,
      examples: ["done.wait(timeout: .now() + 20)", "queue.asyncAfter(deadline: .now() + 60) { kill(child, SIGKILL) }"]),
    OwnLimit(
      name: "a number of turns in a line of shell",
      pattern: #"\bfor (try|turn|nap|i) in \$\(seq [0-9]|\$(tries|naps|turns?|try|i|n)\b"? -(lt|le|eq|ge|gt) [0-9]"#,
      examples: [
        "for try in $(seq 300); do", "until [ -s ready ] || [ $tries -eq 300 ]; do", #"[ "$turn" -lt 9 ] || exit 1"#,
      ]),
    OwnLimit(
      name: "a limit of Python", pattern: #"\btimeout ?= ?[0-9]"#, examples: ["create_connection(place, timeout=300)"]),
    OwnLimit(
      name: "the patience of a socket or a lock", pattern: #"\bpatience: [1-9]"#,
      examples: ["try UnixStream(path, patience: 60)"]),
  ]

  /// Files that have one for another reason.
  static let exceptions: [String: String] = [
    "Tests/WaitingProgram/Hangs.swift": "programs that wait for an alarm or a timer, for `gate queuecheck` to watch",
    "Tests/Queues/GatehouseSchedulesTests/SchedulesTests.swift": "a wait that a schedule must not take for its own",
    "Tests/PackageTests/QueueCheck/UndisturbedTests.swift": "a block that never runs",
    "Tests/PackageTests/Repository/ChildProcess.swift": "the guard's limit, unless a test of the limit gives another",
    "Tests/Benchmarks/Sources/ServerBenchmark/ServerBench.swift": "requests that wait for a thousand others",
  ]
}

struct HangGuardsTests {
  private static let own = "Tests/PackageTests/HangGuardsTests.swift"

  @Test(arguments: OwnLimit.all)
  func `what hangs is ended by the guard alone`(limit: OwnLimit) throws {
    let sources = try Repository.sources(in: "Tests").filter { $0.path != Self.own }
    #expect(sources.count > 100)
    let places = try sources.filter { OwnLimit.exceptions[$0.path] == nil }.flatMap { try $0.places(of: limit.pattern) }
    #expect(places == [])
  }

  @Test(arguments: OwnLimit.all)
  func `a limit is found`(limit: OwnLimit) throws {
    for example in limit.examples {
      #expect(try SourceFile(path: "", text: example).places(of: limit.pattern).count == 1, "\(example)")
    }
  }

  @Test func `what has the guard's limit, or none, is no limit of its own`() throws {
    let text = #"""
      endIfItHangs()
      @Suite(.endsIfItHangs) struct S {
      alarm(\(Watchdog.seconds));
      ChildProcess("timeout", ["\(Watchdog.seconds)", "true"])
      "timeout \(Watchdog.seconds) gate jwks"
      timeval(tv_sec: Watchdog.seconds, tv_usec: 0)
      done.wait()
      for i in $(seq \(Watchdog.seconds * 10)); do
      create_connection(place, timeout=\(Watchdog.seconds))
      try UnixStream(path, patience: Double(Watchdog.seconds))
      """#
    for limit in OwnLimit.all { #expect(try SourceFile(path: "", text: text).places(of: limit.pattern) == []) }
  }

  @Test func `every exception is needed`() throws {
    for path in OwnLimit.exceptions.keys {
      let file = SourceFile(path: path, text: try Repository.text(of: path))
      #expect(try OwnLimit.all.contains { try !file.places(of: $0.pattern).isEmpty }, "\(path) has no limit any more")
    }
  }

  @Test func `every exit test begins with the guard`() throws {
    let sources = try Repository.sources(in: "Tests").filter { $0.path != Self.own }
    #expect(sources.flatMap(Self.exitTests).count > 100)
    let unguarded = sources.flatMap { source in
      Self.exitTests(in: source).filter { !$0.isGuarded }.map { "\(source.path):\($0.line)" }
    }
    #expect(unguarded == [])
  }

  @Test(arguments: [
    ("processExitsWith: .success) {\n  endIfItHangs()", true),
    ("processExitsWith: .failure, observing: [\\.standardErrorContent]\n) {\n  endIfItHangs(watchdog: own)", true),
    ("processExitsWith: .success) {\n  [a = a as Int, b] in\n  // A comment.\n  endIfItHangs()", true),
    ("processExitsWith: .success) {\n  let a = 1\n  endIfItHangs()", false),
    ("processExitsWith: .success) { [a] in\n  a()\n  endIfItHangs()", false),
    ("processExitsWith: .success, performing: body)\nif a {\n endIfItHangs()", false),
  ])
  func `the first statement of an exit test is read`(text: String, isGuarded: Bool) {
    let tests = Self.exitTests(in: SourceFile(path: "", text: "\n" + text))
    #expect(tests.map(\.isGuarded) == [isGuarded] && tests.map(\.line) == [2])
  }

  /// The exit tests of a file, and whether their first statement is the guard. The trait does not replace it: it guards
  /// the test that waits, and would end the run.
  private static func exitTests(in file: SourceFile) -> [(line: Int, isGuarded: Bool)] {
    let guarded = /processExitsWith:[^{}]*\)\s*\{\s*(?:\[[^\]]*\]\s*in\b\s*)?endIfItHangs\(/
    return file.code.matches(of: /processExitsWith:/).map { match in
      let line = file.code[..<match.range.lowerBound].count { $0 == "\n" } + 1
      return (line, file.code[match.range.lowerBound...].prefixMatch(of: guarded) != nil)
    }
  }

  // MARK: Limits of an app

  /// Programs as a user writes them, and those whose time is measured.
  private static let ofUsers = ["PackageTests/Dependent", "Products", "Benchmarks", "ProviderCrashes"]

  @Test func `a test's Auth has clocks of the test, or the limits of the guard`() throws {
    let sources = try Repository.sources(in: "Tests").filter { source in
      source.path != Self.own && !Self.ofUsers.contains { source.path.hasPrefix("Tests/\($0)/") }
        && !source.path.contains("/Documented/")
    }
    let all = sources.flatMap { source in Self.configurations(in: source).map { (source.path, $0) } }
    #expect(all.count > 40)
    #expect(all.filter { !$0.1.isPatient }.map { "\($0):\($1.line)" } == [])
  }

  @Test(arguments: [
    ("Auth(Auth.Configuration(backend: ScriptedBackend()))", [false]),
    ("Auth(\n  .init(\n  backend: backend, store: .file(path)))\ntimeouts: .patient", [false]),
    ("var c = Auth.Configuration(backend: backend)\nc.clocks = ManualClocks()", [false]),
    ("Auth(.init(backend: Own(clocks: clocks)))", [false]),
    ("try Auth.configure(.init(backend: backend))", [false]),
    ("Auth.Configuration(backend: backend, clocks: clocks)", [true]),
    ("Auth(.init(backend: Own(a, b()), logger: log { _ in Log(a) }, timeouts: .patient))", [true]),
    ("Auth(.init(backend: Own { make(clocks: clocks) }))\nAuth(.init(backend: a, clocks: b))", [false, true]),
    ("func adjust(_ configuration: (inout Auth.Configuration) -> Void) -> Auth.Configuration {", []),
  ])
  func `the limits of an Auth are read`(text: String, arePatient: [Bool]) {
    let configurations = Self.configurations(in: SourceFile(path: "", text: text))
    #expect(configurations.map(\.isPatient) == arePatient)
  }

  /// The configurations that a file makes, and whether one names its clocks or its timeouts.
  private static func configurations(in file: SourceFile) -> [(line: Int, isPatient: Bool)] {
    file.code.matches(of: /\bAuth\.Configuration\(|\bAuth(?:\.configure)?\(\s*\.init\(/).map { match in
      let line = file.code[..<match.range.lowerBound].count { $0 == "\n" } + 1
      // Its own arguments, without those of the calls and the closures in them.
      var depth = 1, own = ""
      for character in file.code[match.range.upperBound...] where depth > 0 {
        depth += "({".contains(character) ? 1 : ")}".contains(character) ? -1 : 0
        if depth == 1 { own.append(character) }
      }
      return (line, own.contains(/\b(clocks|timeouts):/))
    }
  }
}
