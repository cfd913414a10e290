import Foundation
import Testing

/// `gate token --watch`, ended by a signal or by what happens to the session. Refreshes ahead of expiry are ten seconds
/// apart at least: those that wait for one take as long.
struct WatchTests {
  @Test func `a watch gives the token as a line, and ends with 0 on SIGTERM`() async throws {
    try await GateHome.withAda { home in
      let token = try await home.gate("token").output
      var child = ChildProcess("\(Repository.products)/gate", ["--home", home.path, "token", "--watch"])
      child.endsAfterFirstOutput = true
      let outcome = try await child.run()
      #expect(outcome.status == 0 && outcome.output == token && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `the file is whole and private when the command runs, and the token only there`() async throws {
    try await GateHome.withAda { home in
      let token = try await home.gate("token").output.dropLast()
      let outcome = try await home.shell(
        """
        umask 0; exec gate --home "$home" token --watch --file token --on-change '
          cp -p "$GATEHOUSE_TOKEN_FILE" copy; env > environment; cat /proc/$PPID/cmdline /proc/$$/cmdline > arguments
          echo "to standard error"; kill -TERM $PPID'
        """)
      #expect(outcome.status == 0 && outcome.output == "" && outcome.errors == "to standard error\n", "\(outcome)")
      #expect(try String(contentsOfFile: home.folder + "/copy", encoding: .utf8) == token)
      #expect(try home.mode(of: home.folder + "/copy") == 0o600)
      let environment = try String(contentsOfFile: home.folder + "/environment", encoding: .utf8)
      #expect(environment.contains("GATEHOUSE_TOKEN_FILE=\(home.folder)/token\n"))
      let seen = environment + (try String(contentsOfFile: home.folder + "/arguments", encoding: .utf8))
      #expect(!seen.contains(token))
    }
  }

  @Test func `a failing command is told, and the next token comes all the same`() async throws {
    try await GateHome.withAda { home in
      // Ends at its second run; the first one fails.
      let outcome = try await home.shell(
        """
        gate --home "$home" token --force-refresh > old || exit 9
        exec gate --home "$home" token --watch --file token --on-change '
          [ -e again ] && kill -TERM $PPID; cp token again; exit 3'
        """, environment: ["GATEHOUSE_TOKEN_LIFETIME": "12"])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
      #expect(outcome.errors.contains("the --on-change command ended with status 3; the watch goes on"), "\(outcome)")
      let tokens = try ["old", "token"].map { try String(contentsOfFile: "\(home.folder)/\($0)", encoding: .utf8) }
      #expect(tokens[0].dropLast() != tokens[1])
    }
  }

  @Test func `a sign-out elsewhere ends the watch with its reason`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "gate token --force-refresh > old && exec gate token --watch --on-change 'gate sign-out'",
        environment: ["GATEHOUSE_TOKEN_LIFETIME": "12", "GATEHOUSE_HOME": home.path])
      #expect(outcome.status == 3 && outcome.errors.contains("another process signed this user out"), "\(outcome)")
      #expect(outcome.errors.hasSuffix("sign in again: gate sign-in EMAIL [sessionEnded]\n"), "\(outcome)")
    }
  }

  @Test func `a watch says that the provider fails, and goes on when it works again`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        """
        gate token --force-refresh > old; sleep 1  # which is how long that one lives
        key=$(ls "$home"/provider/keys/*.pem); mv "$key" away
        { gate token --watch --file token --on-change 'kill -TERM $PPID' 2>&1; echo "status $?"; } |
          while read -r line; do echo "$line"; [ -e away ] && mv away "$key"; done
        """, environment: ["GATEHOUSE_TOKEN_LIFETIME": "1", "GATEHOUSE_HOME": home.path])
      #expect(outcome.output.contains("[providerDamaged]") && outcome.output.hasSuffix("status 0\n"), "\(outcome)")
      #expect(FileManager.default.fileExists(atPath: home.folder + "/token"))
    }
  }

  @Test func `a token that cannot be written ends the watch`() async throws {
    try await GateHome.withAda { home in
      for options in ["--file nowhere/token", "> /dev/full"] {
        let outcome = try await home.shell("exec gate --home \"$home\" token --watch \(options)")
        #expect(outcome.status == 1 && outcome.errors.contains("could not be written"), "\(outcome)")
      }
    }
  }
}
