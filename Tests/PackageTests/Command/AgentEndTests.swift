import Foundation
import TestSupport
import Testing

/// The daemon and the programs beside it when others hang, misbehave or want an end.
struct AgentEndTests {
  @Test func `a program with a token in its environment has no signal blocked`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          (umask 077; printf opaque > token)
          gate agent login side --token-file token --home "$home" > /dev/null || exit 98
          agent
          gate agent exec side --home "$home" -- grep SigBlk /proc/self/status
          """)
      #expect(outcome.output.split(whereSeparator: \.isWhitespace) == ["SigBlk:", "0000000000000000"], "\(outcome)")
    }
  }

  @Test func `an issuer that hangs does not keep the daemon from its end`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          gate serve --home "$home" --port 0 --ready-fd 3 > served 2>> errors 3> address & server=$!
          trap 'kill -9 $pid $server 2> /dev/null; cat errors >&2' EXIT
          await '[ -s address ] || ! kill -0 $server'
          home=$home-client
          printf %s "$password" | gate agent login mail ada@example.com --password-stdin --home "$home" \
            --backend "$(cat address)" > /dev/null || exit 98
          kill -STOP $server
          agent
          await 'gate agent list --home "$home" | grep -q fetching || ! kill -0 $pid'
          kill -TERM $pid; wait $pid; echo "daemon $?"
          grep -o "a fetch did not end" errors
          """, environment: ["password": GateHome.password])
      #expect(outcome.output.split(separator: "\n") == ["daemon 0", "a fetch did not end"], "\(outcome)")
    }
  }

  @Test func `a reader of its messages that has stopped does not hold the daemon up`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + """
          (umask 077; mkdir -p "$home"); echo '{"clients": {"another": {"user": 65534, "accounts": []}}}' > agent.json
          mkfifo messages; exec 9<> messages; head -c 65536 /dev/zero >&9
          gate agent --home "$home" --config agent.json --json > ready 2>&9 & pid=$!
          await '[ -s ready ] || ! kill -0 $pid'
          gate agent status --home "$home" 2> refused; echo "status $?"
          grep -o "no rule admits" refused || exit 98
          kill -TERM $pid; wait $pid; echo "daemon $?"
          """)
      #expect(outcome.output.split(separator: "\n") == ["status 1", "no rule admits", "daemon 0"], "\(outcome)")
    }
  }

  @Test func `a server that ends at once has said why`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("serve", "--port", "0", environment: ["GATEHOUSE_TOKEN_LIFETIME": "long"])
      #expect(outcome.status == 2 && outcome.errors.contains("must be whole seconds from 1 to 86400"), "\(outcome)")
    }
  }

  @Test(.enabled("perl is not installed") { AgentCommandTests.has("perl") })
  func `a wait that no number can tell does not end the command`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        #"""
        cat > server.pl << 'END'
        use Socket;
        socket(my $server, AF_UNIX, SOCK_STREAM, 0) or die $!;
        bind($server, pack_sockaddr_un("socket")) or die $!;
        listen($server, 5) or die $!;
        open(my $ready, ">", "ready"); close $ready;
        accept(my $client, $server); sysread $client, my $request, 4096;
        my $body = '{"error":{"number":1,"message":"x","retryAfter":1e30}}';
        syswrite $client, "HTTP/1.1 503 Away\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
        END
        perl server.pl & server=$!
        trap 'kill -9 $server 2> /dev/null' EXIT
        await '[ -e ready ] || ! kill -0 $server'
        gate agent token side --json --socket "$PWD/socket" > answer; echo "token $?"
        grep -o '"retryAfter":[0-9]*' answer
        """#)
      #expect(
        outcome.output.split(separator: "\n") == ["token 1", #""retryAfter":9223372036854775807"#], "\(outcome)")
    }
  }
}
