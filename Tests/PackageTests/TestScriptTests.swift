import Testing

/// `scripts/test`, with programs in place of the compiler and of the tests.
struct TestScriptTests {
  /// The program has started another one in the second form. In the third it has ended, and left that one behind with
  /// its output open. It ends when the folder is gone.
  @Test(arguments: [
    "exec tail -f /dev/null", "/usr/bin/sleep 3600 & echo $! > child; wait",
    "while [ -e scripts ]; do /usr/bin/sleep 0.1; done &",
  ])
  func `a run in which no test begins or ends any more is ended, and its open tests named`(hang: String) async throws {
    let outcome = try await Self.run("started A/b; started A/c; ended A/b\n" + hang)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output.contains("Still running:\nA/c\nscripts/test: failed: a hang\n"), "\(outcome)")
  }

  @Test func `a test that fails and passes alone is named, and the run passes`() async throws {
    let outcome = try await Self.run(
      #"""
      started A/b
      if [ -e again ]; then ended A/b; echo "✔ Test run with 1 test in 1 suite passed"; exit 0; fi
      touch again
      failed A/b
      """#)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("once more, alone: A/b\n✔ Test run with 1 test in 1 suite passed\n"), "\(outcome)")
    #expect(outcome.output.contains(/\nscripts.test: passed: 2 tests in \d+ s\nunsteady: A.b\n$/), "\(outcome)")
  }

  @Test func `a run that passes says how many tests and how long`() async throws {
    let outcome = try await Self.run("echo '✔ Test run with 3519 tests in 9 suites passed'")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains(/\nscripts\/test: passed: 3,519 tests in \d+ s\n$/), "\(outcome)")
  }

  @Test(arguments: [
    "failed A/b", "touch again; failed A/b; failed A/c", "exit 1",
    "touch again; failed A/b 'Time limit ''was exceeded'",
  ])
  func `a test that fails twice, two that fail once, and a run without a summary fail`(tests: String) async throws {
    let outcome = try await Self.run(Self.again + tests)
    #expect(outcome.status == 1 && outcome.output.contains("scripts/test: failed: "), "\(outcome)")
  }

  /// Each has a test that fails and would pass alone. No argument has an arrow: `scripts/test` reads those of its own
  /// tests, too.
  @Test(arguments: [
    #"failed A/b "Expectation failed: .success $arrow .exitCode(66)""#,
    #"failed A/b "Expectation failed: .success $arrow .exitCode(124)""#,
    #"failed A/b "Expectation failed: .success $arrow .signal(SIGSEGV $arrow 11)""#,
    #"failed A/b "Expectation failed: (child.exitStatus $arrow .signal(SIGILL $arrow 4)) == .exitCode(3)""#,
    #"printf 'A/c\tgate: exit status 139\nA/b\tgate: exit status 139\n' > "$GATEHOUSE_END_NOTES/crashes"; failed A/b"#,
  ])
  func `a program that crashes or hangs in a test is not forgiven`(tests: String) async throws {
    let outcome = try await Self.run(Self.again + "touch again; " + tests)
    let end = "scripts/test: failed: a program that these tests started has crashed, or hung\n"
    #expect(outcome.status == 1 && outcome.output.hasSuffix(end), "\(outcome)")
    #expect(outcome.output.contains("\nA/b") && !outcome.output.contains("A/c"), "\(outcome)")
  }

  @Test(arguments: [
    #"printf 'A/c\tgate: exit status 139\n' > "$GATEHOUSE_END_NOTES/crashes"; failed A/b"#,
    #"failed A/b "Expectation failed: .signal(SIGABRT $arrow 6) $arrow .exitCode(0)""#,
  ])
  func `a crash that another test expects, and one that does not come, are`(tests: String) async throws {
    let outcome = try await Self.run(Self.again + "touch again; " + tests)
    #expect(outcome.status == 0 && outcome.output.hasSuffix("\nunsteady: A/b\n"), "\(outcome)")
  }

  /// A program that a test has started notes it. In the third the test passes; in the last it passes alone.
  @Test(arguments: [
    (#"touch again; echo 'Hang: in a child' > "$GATEHOUSE_END_NOTES/hangs"; failed A/b"#, "Hang: in a child"),
    ("touch again; race; failed A/b", "Data race"), ("race; echo '✔ Test run with 2 tests'", "Data race"),
    ("touch again; failed A/b; echo race > again", "Data race"),
  ])
  func `a hang and a report of the sanitizer fail the run, whatever the tests say`(
    tests: String, noted: String
  ) async throws {
    let race = #"race() { eval "echo 'Data race' > ${TSAN_OPTIONS##*log_path=}.7"; }; [ ! -s again ] || race"#
    let outcome = try await Self.run("\(race)\n\(Self.again)\(tests)", options: "--sanitize thread")
    let end = "\n\(noted)\nscripts/test: failed: a hang or a report of the sanitizer\n"
    #expect(outcome.status == 1 && outcome.output.hasSuffix(end), "\(outcome)")
  }

  @Test func `a crash after the summary is not forgiven`() async throws {
    let outcome = try await Self.run(Self.again + "touch again; failed A/b; failures=139")
    let end = "scripts/test: failed: the tests ended with status 139 after their summary\n"
    #expect(outcome.status == 1 && outcome.output.hasSuffix(end), "\(outcome)")
  }

  /// Many, so that no pipe holds them all.
  @Test(arguments: [1, 20_000]) func `issues that belong to no test are not forgiven`(count: Int) async throws {
    let issues = #"yes '{"isFailure":true,"kind":"issueRecorded"}' | head -n \#(count) >> "$events"; failed A/b"#
    let outcome = try await Self.run(Self.again + "touch again; " + issues)
    let end = "scripts/test: failed: an issue that belongs to no test\n"
    #expect(outcome.status == 1 && outcome.output.hasSuffix(end), "\(outcome)")
  }

  @Test func `a build that fails is said in the last line`() async throws {
    let outcome = try await Self.run("", before: "touch broken")
    #expect(outcome.status == 1 && outcome.output.hasSuffix("\nscripts/test: failed: the build\n"), "\(outcome)")
  }

  /// An argument is what a step does, in the shell.
  @Test(arguments: [
    ("", "", 0, #"passed in \d+ min \d+ s, unsteady: none"#),
    ("echo 'unsteady: A/b c'", "", 0, #"passed in \d+ min \d+ s, unsteady: A/b c"#),
    ("echo 'unsteady: A/b c'", "echo 'unsteady: D/e'", 1, "failed: 2 tests are unsteady: A/b c, D/e"),
    ("echo 'unsteady: A/b c'", "exit 5", 1, "failed: scripts/zoo --quick"),
  ])
  func `the checks of a change forgive one unsteady test in all, and name it last`(
    sanitized: String, zoo: String, status: Int32, end: String
  ) async throws {
    try await TemporaryFolder.with { folder in
      let script = #"""
        mkdir scripts .ci
        cp "$1"/.ci/run .ci
        printf '#!/bin/sh\n[ "$1" = --sanitize ] || exit 0\n%s\n' "$2" > scripts/test
        printf '#!/bin/sh\n%s\n' "$3" > scripts/zoo
        for name in setup check crashes; do echo '#!/bin/sh' > "scripts/$name"; done
        chmod 755 scripts/*
        .ci/run
        """#
      var child = ChildProcess("sh", ["-c", script, "sh", Repository.root, sanitized, zoo])
      child.folder = folder
      let outcome = try await child.run()
      #expect(outcome.status == status, "\(outcome)")
      #expect(try outcome.output.contains(Regex(#"\n\.ci/run: "# + end + #"\n$"#)), "\(outcome)")
    }
  }

  /// Lines before the tests' own: in the second run all tests pass.
  private static let again = "arrow='\u{2192}'; if [ -e again ]; then echo '✔ Test run with 1 test'; exit 0; fi\n"

  /// Runs `scripts/test` in a folder of its own. A build without SwiftNIO would change the versions there.
  ///
  /// - Parameters:
  ///   - tests: what the program of the tests does, in the shell.
  ///   - before: what is done before that.
  private static func run(
    _ tests: String, options: String = "--quick", before: String = ""
  ) async throws -> ChildProcess.Outcome {
    try await GateHome.withNone { home in
      try await home.shell(
        #"""
        printf '#!/bin/sh\necho installed\n' > dpkg-query
        printf '#!/bin/sh\necho fewer > Package.resolved
        case "$*" in *--show-bin-path*) pwd ;; *) [ ! -e broken ] ;; esac\n' > swift
        printf '#!/bin/sh\nexec /usr/bin/sleep 0.01\n' > sleep
        cat > gatehousePackageTests.xctest <<'END'
        #!/bin/sh
        while [ "$1" != --event-stream-output-path ]; do shift; done
        events=$2
        started() { echo "{\"kind\":\"testStarted\",\"testID\":\"$1\"}" >> "$events"; }
        ended() { echo "{\"kind\":\"testEnded\",\"testID\":\"$1\"}" >> "$events"; }
        failed() {
          echo "{\"isFailure\":true,\"kind\":\"issueRecorded\",\"messages\":\"$2\",\"testID\":\"$1\"}" >> "$events"
          echo "✘ Test run with 2 tests in 1 suite failed"
          failures=1
        }
        trap 'exit $failures' EXIT
        END
        echo "$2" >> gatehousePackageTests.xctest
        chmod 755 dpkg-query swift sleep gatehousePackageTests.xctest
        mkdir scripts
        cp "$1"/scripts/test "$1"/scripts/setup "$1"/scripts/build scripts
        echo versions > Package.resolved
        eval "$3"
        status=0
        PATH="$PWD:/usr/bin:/bin" GATEHOUSE_RELEASE_CHECKS=1 scripts/test $4 || status=$?
        grep -qx versions Package.resolved || echo "Package.resolved has changed"
        # A process that was killed has no executable any more.
        if [ -e child ]; then while [ -e "/proc/$(cat child)/exe" ]; do /usr/bin/sleep 0.1; done; fi
        exit "$status"
        """#, Repository.root, tests, before, options)
    }
  }
}
