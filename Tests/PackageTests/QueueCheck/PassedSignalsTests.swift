import HangGuard
import Testing

/// Signals to `gate queuecheck` reach the program.
struct PassedSignalsTests {
  @Test(arguments: ["USR1", "USR2", "QUIT", "TERM", "INT", "HUP", "WINCH", "CONT"])
  func `a signal reaches the program, which decides what it does`(signal: String) async throws {
    // The program waits in a call that a signal interrupts, and says which one came. The shell would have it ignore
    // SIGINT and SIGQUIT if it ran in the background of a shell without job control.
    let script = """
      set -m
      "$1" queuecheck -- bash -c 'trap "echo got \(signal); exit 5" \(signal)
        echo ready; while :; do sleep 0.1; done' > "$2/output" 2> "$2/errors" &
      gate=$!
      until grep -qs ready "$2/output"; do sleep 0.1; done
      kill -\(signal) $gate; wait $gate; echo "status $?"; cat "$2/output"; cat "$2/errors" >&2
      """
    let outcome = try await TemporaryFolder.with { folder in
      try await ChildProcess(
        "timeout", ["\(Watchdog.seconds)", "bash", "-c", script, "-", "\(Repository.products)/gate", folder]
      ).run()
    }
    #expect(outcome.output == "status 5\nready\ngot \(signal)\n", "\(outcome)")
    #expect(outcome.errors.contains("thread") == (signal == "QUIT"), "\(outcome)")
  }

  @Test(arguments: ["INT", "QUIT"])
  func `a signal that was ignored at the start reaches a program with a handler of its own`(
    signal: String
  ) async throws {
    let program = """
      import signal, sys
      def end(*_):
        sys.stdout.write("got \(signal)\\n")
        sys.exit(5)
      signal.signal(signal.SIG\(signal), end)
      sys.stdout.write("ready\\n")  # `print` may write the end of the line later
      sys.stdout.flush()
      while True: signal.pause()
      """
    let script = """
      trap '' \(signal)
      "$1" queuecheck -- python3 -c "$3" > "$2/output" 2> "$2/errors" &
      gate=$!
      until grep -qs ready "$2/output"; do sleep 0.1; done
      kill -\(signal) $gate; wait $gate; echo "status $?"; cat "$2/output"; cat "$2/errors" >&2
      """
    let outcome = try await TemporaryFolder.with { folder in
      try await ChildProcess(
        "timeout", ["\(Watchdog.seconds)", "bash", "-c", script, "-", "\(Repository.products)/gate", folder, program]
      ).run()
    }
    #expect(outcome.output == "status 5\nready\ngot \(signal)\n", "\(outcome)")
  }

  /// The report is held up by a pipe that is full.
  @Test(arguments: ["INT", "TERM"])
  func `a signal after the program's end does not cost the report`(signal: String) async throws {
    let script = """
      \(ShellWait.function)
      \(ShellWait.writes)
      set -m
      mkfifo "$2/errors"
      exec 3<>"$2/errors"
      head -c 65536 /dev/zero >&3
      "$1" queuecheck -- "$3" cycle "two queues" > "$2/output" 2> "$2/errors" &
      gate=$!
      await 'writes $gate 2'
      kill -\(signal) $gate
      exec 4<"$2/errors"
      exec 3>&-
      tr -d '\\0' <&4 >&2; wait $gate; echo "status $?"
      """
    let outcome = try await TemporaryFolder.with { folder in
      try await ChildProcess(
        "timeout",
        [
          "\(Watchdog.seconds)", "bash", "-c", script, "-", "\(Repository.products)/gate", folder,
          QueueCheckScene.program,
        ]
      ).run()
    }
    #expect(outcome.output == "status 3\n" && outcome.errors.contains("potential deadlock: "), "\(outcome)")
  }

  @Test func `a program that is stopped through gate goes on through gate`() async throws {
    let script = """
      set -m
      "$1" queuecheck -- bash -c 'echo $$; while :; do sleep 0.1; done' > "$2/output" 2> "$2/errors" &
      gate=$!
      until grep -qs . "$2/output"; do sleep 0.1; done
      program=$(cat "$2/output")
      state() { sed 's/.*) \\([A-Z]\\).*/\\1/' "/proc/$1/stat"; }
      kill -TSTP $gate
      until [ "$(state $program)$(state $gate)" = TT ]; do sleep 0.1; done
      kill -CONT $gate
      while [ "$(state $program)" = T ] || [ "$(state $gate)" = T ]; do sleep 0.1; done
      kill -TERM $gate; wait $gate; echo "status $?"
      """
    let outcome = try await TemporaryFolder.with { folder in
      try await ChildProcess(
        "timeout", ["\(Watchdog.seconds)", "bash", "-c", script, "-", "\(Repository.products)/gate", folder]
      ).run()
    }
    #expect(outcome.output.hasSuffix("status 143\n"), "\(outcome)")
  }
}
