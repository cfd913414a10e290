import Foundation
import HangGuard
import Testing

struct ShellWaitTests {
  @Test(arguments: ["sh", "bash"])
  func `a wait ends when its condition is true, and one that never is says what hangs`(shell: String) async throws {
    let line = """
      asked=0; await 'asked=$((asked + 1)); [ $asked -eq 2 ]'; echo "true when asked $asked times"
      await '[ -e "$0/never" ]'; echo "goes on"
      """
    try await TemporaryFolder.with { folder in
      var child = ChildProcess(shell, ["-c", ShellWait.function(naps: 2) + line, folder])
      child.notes = EndNotes(folder: folder)
      let outcome = try await child.run()
      #expect(outcome.output == "true when asked 2 times\n", "\(outcome)")
      #expect(outcome.errors == "it never came true: [ -e \"$0/never\" ]\n", "\(outcome)")
      // It is noted, so that `scripts/test` does not forgive it.
      #expect(outcome.status == Watchdog.exitStatus && outcome.isCrash, "\(outcome)")
    }
  }

  @Test func `a wait in a line of shell ends before the shell is killed`() {
    #expect(ChildProcess("sh").patience > .seconds(Watchdog.seconds))
  }
}
