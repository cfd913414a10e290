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
    let end = "once more, alone: A/b\n✔ Test run with 1 test in 1 suite passed\nunsteady: A/b\n"
    #expect(outcome.output.hasSuffix(end), "\(outcome)")
  }

  @Test(arguments: [
    "failed A/b", "touch again; failed A/b; failed A/c", "exit 1", "touch again; echo 'Hang: for 600 s'; failed A/b",
  ])
  func `a test that fails twice, two that fail once, and a run without a summary fail`(tests: String) async throws {
    let outcome = try await Self.run("if [ -e again ]; then echo '✔ Test run with 1 test'; exit 0; fi\n" + tests)
    #expect(outcome.status == 1 && outcome.output.contains("scripts/test: failed: "), "\(outcome)")
  }

  /// Runs `scripts/test --quick` in a folder of its own.
  ///
  /// - Parameter tests: what the program of the tests does, in the shell.
  private static func run(_ tests: String) async throws -> ChildProcess.Outcome {
    try await GateHome.withNone { home in
      try await home.shell(
        #"""
        printf '#!/bin/sh\necho installed\n' > dpkg-query
        printf '#!/bin/sh\ncase "$*" in *--show-bin-path*) pwd ;; esac\n' > swift
        printf '#!/bin/sh\nexec /usr/bin/sleep 0.01\n' > sleep
        cat > gatehousePackageTests.xctest <<'END'
        #!/bin/sh
        while [ "$1" != --event-stream-output-path ]; do shift; done
        events=$2
        started() { echo "{\"kind\":\"testStarted\",\"testID\":\"$1\"}" >> "$events"; }
        ended() { echo "{\"kind\":\"testEnded\",\"testID\":\"$1\"}" >> "$events"; }
        failed() {
          echo "{\"isFailure\":true,\"kind\":\"issueRecorded\",\"testID\":\"$1\"}" >> "$events"
          echo "✘ Test run with 2 tests in 1 suite failed"
          failures=1
        }
        trap 'exit $failures' EXIT
        END
        echo "$2" >> gatehousePackageTests.xctest
        chmod 755 dpkg-query swift sleep gatehousePackageTests.xctest
        mkdir scripts
        cp "$1"/scripts/test "$1"/scripts/setup "$1"/scripts/build scripts
        status=0
        PATH="$PWD:/usr/bin:/bin" scripts/test --quick || status=$?
        # A process that was killed has no executable any more.
        if [ -e child ]; then while [ -e "/proc/$(cat child)/exe" ]; do /usr/bin/sleep 0.1; done; fi
        exit "$status"
        """#, Repository.root, tests)
    }
  }
}
