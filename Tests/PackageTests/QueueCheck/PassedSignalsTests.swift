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
