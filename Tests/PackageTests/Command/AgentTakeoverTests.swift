import Foundation
import Testing

/// A daemon that is frozen, and another one that takes its place.
struct AgentTakeoverTests {
  @Test(.enabled("prlimit is not installed") { AgentCommandTests.has("prlimit") })
  func `a daemon that cannot write its signs of life, and answers, is not ended`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          mkdir -p "$home"; echo '{"takeoverSeconds": 1}' > agent.json
          # Its writes into files fail from now on.
          trap '' XFSZ
          agent --config agent.json; owner=$pid
          prlimit --pid $owner --fsize=0
          gate agent run --config agent.json --home "$home" 2> second; echo "second $?"
          grep -o "process $owner cannot write its signs of life" second > /dev/null && echo told
          gate agent status --home "$home" | grep -o "process $owner" > /dev/null && echo "the first one goes on"
          kill -TERM $owner; wait $owner; echo "daemon $?"
          """)
      #expect(
        outcome.output.split(separator: "\n") == ["second 1", "told", "the first one goes on", "daemon 0"],
        "\(outcome)")
    }
  }

  @Test func `a frozen daemon is ended, and another one takes its place and its refresh`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          export GATEHOUSE_PROVIDER_ROTATES_REFRESH_TOKENS=true
          gate serve --home "$home" --port 0 --ready-fd 3 > served 2>> errors 3> address & server=$!
          trap 'kill -9 $pid $server $frozen 2> /dev/null; cat errors >&2' EXIT
          await '[ -s address ] || ! kill -0 $server'
          home=$home-client
          echo '{"takeoverSeconds": 1}' > agent.json
          login() {
            printf %s "$password" | gate agent login mail ada@example.com --password-stdin --home "$home" "$@"
          }
          login --backend "$(cat address)" > /dev/null || exit 98

          # The server and then the daemon stop in the middle of a refresh, which has the session's lock.
          kill -STOP $server
          agent --config agent.json; frozen=$pid
          gate agent token mail --home "$home" > /dev/null 2>&1 & waiting=$!
          await 'gate agent list --home "$home" | grep -q fetching || ! kill -0 $pid'
          kill -STOP $frozen; kill -CONT $server
          agent --config agent.json; kill -0 $pid 2> /dev/null || exit 96
          grep -o "process $frozen has given no sign of life for [0-9]* s" errors > said && echo said
          gate agent token mail --home "$home" > token && echo lent
          kill -CONT $frozen 2> /dev/null; wait $frozen; echo "the frozen one $?"
          gate agent token mail --min-validity 3000 --home "$home" > /dev/null && echo "lent again"
          gate agent status --home "$home" | grep -o "process $pid"  > /dev/null && echo "by the new one"
          wait $waiting; kill -TERM $pid; wait $pid; echo "daemon $?"
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "said", "lent", "the frozen one 137", "lent again", "by the new one", "daemon 0",
        ], "\(outcome)")
    }
  }
}
