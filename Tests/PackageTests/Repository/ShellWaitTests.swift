import Testing

struct ShellWaitTests {
  @Test(arguments: ["sh", "bash"])
  func `a wait ends when its condition is true, and says what has never come true`(shell: String) async throws {
    let line = """
      asked=0; await 'asked=$((asked + 1)); [ $asked -eq 2 ]'; echo "true when asked $asked times"
      await '[ -e "$0/never" ]'; echo "goes on"
      """
    let outcome = try await ChildProcess(shell, ["-c", ShellWait.function(naps: 2) + line, "/nowhere"]).run()
    #expect(outcome.status == 99 && outcome.output == "true when asked 2 times\n", "\(outcome)")
    #expect(outcome.errors == "it never came true: [ -e \"$0/never\" ]\n", "\(outcome)")
  }
}
