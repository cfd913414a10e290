import TestSupport
import Testing

/// The settings of the daemon, and what else decides about its accounts.
struct AgentSettingsTests {
  @Test func `a name of the settings cannot be made by a login, and one in both costs no other account`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          (umask 077; printf opaque > token)
          echo '{"accounts": {"side": {"tokenFile": "'$PWD'/token"}}}' > agent.json
          side() { gate agent login side --token-file token --home "$home" "$@" 2>&1; }
          side --config agent.json | grep -o "is an account of the settings"
          ls "$home/agent/accounts" 2> /dev/null
          gate agent logout side --config agent.json --home "$home" 2>&1 | grep -o "remove it from agent.json"
          side > /dev/null; login > /dev/null
          gate agent check --config agent.json --home "$home" 2>&1 | grep -o "gate agent login has made one"
          agent --config agent.json
          gate agent token side --home "$home" 2>&1 | grep -o "gate agent login has made one"
          gate agent token mail --home "$home" > /dev/null; echo "mail $?"
          gate agent logout side --config agent.json --home "$home"
          gate agent token side --home "$home"
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "is an account of the settings", "remove it from agent.json", "gate agent login has made one",
          "gate agent login has made one", "mail 0", "side: removed", "opaque",
        ], "\(outcome)")
    }
  }

  @Test func `a reload replaces the command for a person`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          gate users revoke ada@example.com --home "$home" > /dev/null || exit 97
          echo '{}' > agent.json
          agent --config agent.json
          echo '{"onNeedsPerson": "echo $GATEHOUSE_ACCOUNT > hooked",
            "accounts": {"own": {"home": "'$home'"}}}' > agent.json
          gate agent reload --home "$home"
          gate agent token own --home "$home"; echo "token $?"
          await '[ -s hooked ] || ! kill -0 $pid'
          cat hooked
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == ["1 account, 1 changed", "token 3", "own"], "\(outcome)")
    }
  }

  @Test func `who names an account that is not there hears how one is made`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          (umask 077; mkdir -p "$home"); echo '{"files": {"mail": {"path": "'$PWD'/copy"}}}' > agent.json
          gate agent check --home "$home" --config agent.json 2>&1 > checked | grep -o "gate agent login mail makes one"
          [ -s checked ] && agent
          gate agent token mail --home "$home" 2>&1 | grep -o "gate agent login makes one"
          gate agent exec mail --home "$home" -- true 2>&1 | grep -o "gate agent login makes one"
          kill -TERM $pid; wait $pid; echo "daemon $?"
          """)
      #expect(
        outcome.output.split(separator: "\n") == [
          "gate agent login mail makes one", "gate agent login makes one", "gate agent login makes one", "daemon 0",
        ], "\(outcome)")
    }
  }

  @Test func `a socket that was removed is made again`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          login > /dev/null
          agent
          rm "$home/agent/agent.socket"
          await 'gate agent token mail --home "$home" > token 2> /dev/null || ! kill -0 $pid'
          [ -s token ] && echo lent
          rm -r "$home/agent/agent.socket"; kill -TERM $pid; wait $pid; echo "daemon $?"
          """, environment: ["password": GateHome.password])
      #expect(outcome.output.split(separator: "\n") == ["lent", "daemon 0"], "\(outcome)")
    }
  }

  @Test func `a login that fails makes no account`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        """
        printf wrong-password | gate agent login mail ada@example.com --home "$home" --password-stdin
        echo "login $?"
        ls "$home/agent/accounts"
        printf %s "$password" | gate agent login mail ada@example.com --home "$home" --password-stdin > /dev/null
        printf wrong-password | gate agent login mail ada@example.com --home "$home" --password-stdin
        ls "$home/agent/accounts"
        """, environment: ["password": GateHome.password])
      #expect(outcome.output.split(separator: "\n") == ["login 1", "mail"], "\(outcome)")
    }
  }
}
