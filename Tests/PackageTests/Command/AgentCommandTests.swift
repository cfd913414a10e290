import Foundation
import GatehouseJOSE
import Glibc
import TestSupport
import Testing

/// The token daemon as a user has it: the command, its socket and its files.
struct AgentCommandTests {
  /// `agent ARGUMENT…` starts the home's daemon in the background, with its process in `$pid`, and returns when clients
  /// may come.
  static let tools = """
    agent() {
      : > ready
      gate agent --home "$home" --json "$@" > ready 2>> errors & pid=$!
      await '[ -s ready ] || ! kill -0 $pid 2> /dev/null'
    }
    login() { printf %s "$password" | gate agent login mail ada@example.com --home "$home" --password-stdin; }
    trap 'kill -9 $pid 2> /dev/null; cat errors >&2' EXIT

    """

  @Test func `a daemon lends the token of a session, until it is logged out`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          login > /dev/null || exit 98
          agent
          gate agent token mail --home "$home" > token || exit 97
          gate jwks --home "$home" > keys.json
          gate verify --home "$home" --jwks keys.json < token > verified || exit 96
          [ "$(gate agent exec mail --home "$home" -- sh -c 'echo $GATEHOUSE_TOKEN')" = "$(cat token)" ] || exit 95
          gate agent list --home "$home"
          gate agent status --home "$home" | grep -o "1 lending"
          gate agent run --home "$home" 2> second; echo "second $?"
          grep -q "process $pid runs the agent" second || exit 94
          cp "/proc/$pid/maps" maps
          gate agent logout mail --home "$home"
          gate agent token mail --home "$home"; echo "token $?"
          kill -TERM $pid; wait $pid; echo "daemon $?"
          gate agent status --home "$home"; echo "status $?"
          """, environment: ["password": GateHome.password])
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.first?.wholeMatch(of: /mail: lending, [0-9]+ s left \(Gatehouse session\)/) != nil, "\(outcome)")
      #expect(
        lines.dropFirst() == [
          "1 lending", "second 1", "mail: signed out, and removed", "token 1", "daemon 0", "status 1",
        ], "\(outcome)")
      #expect(!outcome.errors.contains("eyJ"), "\(outcome.errors)")
      #expect(try Self.heaps(in: String(contentsOfFile: home.folder + "/maps", encoding: .utf8)) == 0)
    }
  }

  /// The number of heaps besides the first one, in the list of a process's mappings. The C library maps each as 64 MiB
  /// at a multiple of that, the first pages for use.
  private static func heaps(in maps: String) -> Int {
    let mappings = maps.split(separator: "\n").compactMap { line -> (Range<UInt>, String)? in
      let parts = line.split(separator: " "), ends = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      return ends.count == 2 && parts.count == 5 ? (ends[0]..<ends[1], String(parts[1])) : nil
    }
    let size: UInt = 64 << 20
    return zip(mappings, mappings.dropFirst()).count { used, rest in
      used.0.lowerBound.isMultiple(of: size) && used.1 == "rw-p" && rest.1 == "---p"
        && rest.0.upperBound == used.0.lowerBound + size
    }
  }

  @Test func `when a person must sign in, the status is 3, a command runs once, and a login helps`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          login > /dev/null || exit 98
          echo '{"onNeedsPerson": "echo $GATEHOUSE_ACCOUNT >> hooked"}' > agent.json
          gate users revoke ada@example.com --home "$home" > /dev/null || exit 97
          agent --config agent.json
          gate agent token mail --home "$home"; echo "token $?"
          gate agent token mail --home "$home"; echo "token $?"
          gate agent status --home "$home" > /dev/null; echo "status $?"
          login > /dev/null; gate agent status --home "$home" > /dev/null; echo "status $?"
          cat hooked
          echo '{"fetchesPerSecond": 0}' > agent.json
          gate agent reload --home "$home"; echo "reload $?"
          gate agent check --config agent.json; echo "check $?"
          kill -HUP $pid
          await 'grep -q "stay what they were" errors || ! kill -0 $pid'
          echo '{"accounts": {"side": {"tokenFile": "'$PWD'/token"}}}' > agent.json
          (umask 077; printf opaque > token)
          gate agent reload --home "$home"
          gate agent token side --home "$home"
          kill -TERM $pid; wait $pid; echo "daemon $?"
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "token 3", "token 3", "status 3", "status 0", "mail", "reload 1", "check 1", "2 accounts, 1 changed",
          "opaque",
          "daemon 0",
        ], "\(outcome)")
      #expect(
        outcome.errors.contains("agent.json, line 1, column 2: fetchesPerSecond must be a whole number"), "\(outcome)")
    }
  }

  @Test func `an account that cannot be used says why, and after a change of the settings says what is wrong now`()
    async throws
  {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + """
          mkdir -p "$home"; echo no folder > one; echo no folder > two
          echo '{"accounts": {"a": {"home": "'$PWD'/one"}}}' > agent.json
          agent --config agent.json
          gate agent token a --home "$home" 2>&1 | grep -o "/one/backend.json cannot be opened"
          echo '{"accounts": {"a": {"home": "'$PWD'/two"}}}' > agent.json
          gate agent reload --home "$home"
          gate agent token a --home "$home" 2>&1 | grep -o "/two/backend.json cannot be opened"
          """)
      #expect(
        outcome.output.split(separator: "\n") == [
          "/one/backend.json cannot be opened", "1 account, 1 changed", "/two/backend.json cannot be opened",
        ], "\(outcome)")
    }
  }

  @Test func `the daemon writes tokens into files, keeps them there, and runs a command at each change`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + """
          until_is() {
            copied=$1 wanted=$2
            await '[ "$(cat "$copied" 2> /dev/null)" = "$wanted" ] || ! kill -0 $pid'
            printf '%s %s\n' "$1" "$(cat "$1")"
          }
          mkdir -p "$home"; (umask 077; printf first > token)
          settings() {
            echo '{"accounts": {"side": {"tokenFile": "'$PWD'/token"}}, "files": {"side": {"path": "'$PWD'/'$1'",
              "onChange": "cat \\"$GATEHOUSE_TOKEN_FILE\\" >> '$PWD'/changes; echo >> '$PWD'/changes"}}}' > agent.json
          }
          settings copy
          agent --config agent.json
          until_is copy first; stat -c %a copy
          rm copy; until_is copy first
          printf second > token
          curl -sS -o /dev/null -X POST --unix-socket "$home/agent/agent.socket" http://a/v1/accounts/side/refresh
          until_is copy second
          settings later/copy
          gate agent reload --home "$home"
          mkdir later
          until_is later/copy second
          settings home/agent/accounts/mail/session.json
          gate agent reload --home "$home" 2>> refused; echo "reload $?"
          ln -s home/agent linked; settings linked/lock
          gate agent check --home "$home" --config agent.json 2>> refused; echo "check $?"
          grep -c "files.side: " refused
          kill -TERM $pid; wait $pid; echo "daemon $?"
          cat changes
          """)
      #expect(
        outcome.output.split(separator: "\n") == [
          "copy first", "600", "copy first", "copy second", "1 account, 0 changed", "later/copy second", "reload 1",
          "check 1", "2", "daemon 0", "first", "second", "second",
        ], "\(outcome)")
      #expect(outcome.errors.contains("make the folder"), "\(outcome)")
    }
  }

  @Test(.enabled("only root can run a program as another user") { geteuid() == 0 && has("setpriv") && has("perl") })
  func `2,000 connections of one user leave room for the others`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + #"""
          chmod 755 .; mkdir shared "$home"; chmod 700 "$home"; ulimit -Sn 4096
          (umask 077; printf opaque > token)
          cat > agent.json << END
          {"accounts": {"side": {"tokenFile": "$PWD/token"}},
           "clients": {"root": {"user": 0, "accounts": "*"}, "another": {"user": 65534, "accounts": []}}}
          END
          cat > crowd.pl << 'END'
          use Socket;
          $SIG{PIPE} = 'IGNORE'; $| = 1;
          my @open;
          for (1 .. 2000) {
            my $client;
            socket($client, AF_UNIX, SOCK_STREAM, 0) && connect($client, pack_sockaddr_un($ARGV[0])) or die $!;
            syswrite $client, "GET /v1/status HTTP/1.1\r\nHost: agent\r\n\r\n";
            push @open, $client;
          }
          print scalar(grep { my $text; sysread($_, $text, 12); $text eq "HTTP/1.1 200" } @open), "\n";
          <STDIN>;
          END
          agent --config agent.json --socket "$PWD/shared/socket"
          mkfifo said end
          setpriv --reuid 65534 --regid 65534 --clear-groups perl "$PWD/crowd.pl" "$PWD/shared/socket" > said < end &
          exec 3< said 4> end; read -r answered <&3
          gate agent token side --socket "$PWD/shared/socket"
          echo "$answered"
          """#)
      let lines = outcome.output.split(separator: "\n")
      // It is 1,000 unless this machine lets a process open few descriptors.
      let answered = lines.last.flatMap { Int($0) } ?? 0
      #expect(lines.first == "opaque" && (1...1000).contains(answered), "\(outcome)")
    }
  }

  // MARK: systemd

  @Test(.enabled("systemd or curl is not installed") { has("systemd-socket-activate") && has("curl") })
  func `a socket of the service manager is served, and stays when the daemon ends`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + """
          (umask 077; printf opaque > token; mkdir -p "$home")
          echo '{"accounts": {"side": {"tokenFile": "'$PWD'/token"}}}' > agent.json
          socket=$PWD/agent.socket
          systemd-socket-activate -l "$socket" -E PATH gate agent --home "$home" --config "$PWD/agent.json" \
            > answer 2> errors & pid=$!
          await '[ -S "$socket" ] || ! kill -0 $pid'
          curl -sS --unix-socket "$socket" http://agent/v1/accounts/side/token | grep -o '"token":"opaque"'
          gate agent token side --socket "$socket"
          kill -TERM $pid; wait $pid; echo "daemon $?"
          [ -S "$socket" ] && echo "the socket stays"
          """)
      #expect(
        outcome.output.split(separator: "\n") == [#""token":"opaque""#, "opaque", "daemon 0", "the socket stays"],
        "\(outcome)")
    }
  }

  @Test func `the service manager hears when the daemon is ready, reads its settings, lives and ends`() async throws {
    try await GateHome.withNone { home in
      let manager = try DatagramSocket(home.folder + "/notify")
      let lives = home.folder + "/lives"
      async let heard = onThread {
        var heard: [String] = []
        while let next = manager.wait() {
          if next == "WATCHDOG=1" {
            try Data().write(to: URL(filePath: lives))
          } else {
            heard.append(next)
          }
        }
        return heard
      }
      defer { manager.end() }
      let outcome = try await home.shell(
        Self.tools + """
          mkdir -p "$home"; echo '{}' > agent.json
          export NOTIFY_SOCKET=$PWD/notify WATCHDOG_USEC=600000000
          agent --config agent.json
          await '[ -e lives ] || ! kill -0 $pid'
          gate agent reload --home "$home"
          echo '{"none": 1}' > agent.json
          gate agent reload --home "$home"; echo "reload $?"
          kill -TERM $pid; wait $pid; echo "daemon $?"
          """)
      #expect(outcome.output.split(separator: "\n") == ["0 accounts, 0 changed", "reload 1", "daemon 0"], "\(outcome)")
      manager.end()
      let told = try await heard
      #expect(
        told.map { $0.prefix { $0 != "\n" } } == [
          "READY=1", "RELOADING=1", "READY=1", "RELOADING=1", "READY=1", "STOPPING=1",
        ], "\(told)")
      #expect(told[1].wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[0-9]+/) != nil, "\(told)")
    }
  }

  @Test(.enabled("systemd is not installed") { has("systemd-analyze") })
  func `the unit of the machine is confined`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        gate agent unit service --system > gatehouse-agent.service
        systemd-analyze --offline=true security ./gatehouse-agent.service | tail -1
        """)
      let level = outcome.output.firstMatch(of: /service: ([0-9.]+)/).flatMap { Double($0.1) }
      #expect(level.map { $0 <= 2 } == true, "\(outcome)")
    }
  }

  static func has(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
  }
}
