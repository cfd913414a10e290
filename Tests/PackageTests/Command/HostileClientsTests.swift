import Testing

/// A `gate serve` process with hostile clients. `Tests/Hostile/hostile.py` sends their requests.
struct HostileClientsTests {
  @Test(
    .releaseCheck, .enabled("python3 is not installed") { await Terminal.isThere }, arguments: ["", "--emulator"])
  func `hostile clients get refusals or nothing, and the server keeps its memory and its accounts`(
    mode: String
  ) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        ServeCommandTests.tools + """
          [ -z "$1" ] || home=$home/emulator
          serve $1
          python3 "$2" "$address" $pid ${1#--}; echo "clients $?"
          kill -TERM $pid; wait $pid; echo "status $?"
          """, mode, "\(Repository.root)/Tests/Hostile/hostile.py")
      #expect(outcome.output.contains(/[0-9]+ rounds in [0-9]+ s; 0 faults/), "\(outcome)")
      #expect(outcome.output.hasSuffix("clients 0\nstatus 0\n"), "\(outcome)")
      #expect(!outcome.errors.contains("fatal"), "\(outcome)")
    }
  }
}
