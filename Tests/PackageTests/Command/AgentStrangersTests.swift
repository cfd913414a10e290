import Foundation
import Glibc
import TestSupport
import Testing

/// Users that no rule of the daemon admits, at its socket.
struct AgentStrangersTests {
  @Test(
    .enabled("only root can run a program as another user") { geteuid() == 0 && AgentCommandTests.has("perl") })
  func `ten users that no rule admits take no connection of the daemon's own user`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        AgentCommandTests.tools + #"""
          chmod 755 .; mkdir shared "$home"; chmod 700 "$home"; ulimit -n 700
          (umask 077; printf opaque > token)
          cat > agent.json << END
          {"accounts": {"side": {"tokenFile": "$PWD/token"}}, "clients": {"root": {"user": 0, "accounts": ["side"]}}}
          END
          cat > crowd.pl << 'END'
          use Socket;
          $SIG{PIPE} = 'IGNORE'; $| = 1;
          my @open;
          for my $user (4001 .. 4010) {
            $> = $user;
            for (1 .. 60) {
              my $client;
              socket($client, AF_UNIX, SOCK_STREAM, 0) && connect($client, pack_sockaddr_un($ARGV[0])) or die $!;
              syswrite $client, "GET /v1/status HTTP/1.1\r\nHost: agent\r\n\r\n";
              push @open, $client;
            }
            $> = 0;
          }
          print scalar(grep { my $text; sysread($_, $text, 12); $text eq "HTTP/1.1 403" } @open), "\n";
          <STDIN>;
          END
          agent --config agent.json --socket "$PWD/shared/socket"
          mkfifo said end
          perl "$PWD/crowd.pl" "$PWD/shared/socket" > said < end &
          exec 3< said 4> end; read -r answered <&3
          gate agent token side --socket "$PWD/shared/socket"
          grep -c "connections of users that no rule admits are refused" errors
          grep -c "refused GET" errors
          echo "$answered"
          """#)
      let lines = outcome.output.split(separator: "\n")
      let answered = lines.last.flatMap { Int($0) } ?? 0
      #expect(lines.prefix(3) == ["opaque", "1", "10"] && (1...64).contains(answered), "\(outcome)")
    }
  }

  // MARK: User namespaces

  private static func hasUserNamespaces() -> Bool {
    guard AgentCommandTests.has("unshare"), AgentCommandTests.has("setpriv"), geteuid() == 0 else { return false }
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = ["unshare", "--user", "--map-user=65534", "true"]
    return (try? program.run()).map {
      program.waitUntilExit()
      return program.terminationStatus == 0
    } ?? false
  }

  /// A namespace that maps this user alone, to a given one, and a daemon in it with a socket that all may use.
  private static let tools =
    AgentCommandTests.tools + #"""
      chmod 755 .; mkdir shared "$home"; chmod 700 "$home"
      (umask 077; printf opaque > token)
      cat > agent.json << END
      {"accounts": {"side": {"tokenFile": "$PWD/token"}},
       "clients": {"own": {"user": 1000, "accounts": ["side"]}, "another": {"group": 4242, "accounts": ["side"]}}}
      END
      inside() {
        map=$1; shift; : > ready
        unshare --user --map-user=$map gate agent --home "$home" --config agent.json --socket "$PWD/shared/socket" \
          --json > ready 2>> errors & pid=$!
        await '[ -s ready ] || ! kill -0 $pid 2> /dev/null'
      }
      get() { curl -s -X "$1" --unix-socket shared/socket "http://agent/v1/$2"; }

      """#

  @Test(.enabled("user namespaces are not allowed here, or a program is missing") { hasUserNamespaces() })
  func `in a user namespace the daemon's user is known, and a user that is not mapped gets nothing`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + #"""
          inside 1000
          get GET accounts/side/token | grep -o '"token":"opaque"'
          for user in 4242 65534; do
            cat > ask << 'END'
          curl -s --unix-socket "$1/shared/socket" -X "$2" "http://agent/v1/$3"; echo
          END
            chmod 644 ask
            for request in "GET accounts/side/token" "POST reload"; do
              setpriv --reuid $user --regid $user --clear-groups sh ask "$PWD" $request |
                grep -o "of user unknown in this user namespace"
            done
          done
          """#)
      #expect(
        outcome.output.split(separator: "\n") == ["\"token\":\"opaque\""]
          + Array(repeating: "of user unknown in this user namespace", count: 4), "\(outcome)")
    }
  }

  @Test(.enabled("user namespaces are not allowed here, or a program is missing") { hasUserNamespaces() })
  func `a daemon refuses to run as the user that stands for unknown ones`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        Self.tools + #"""
          inside 65534
          wait $pid; echo "daemon $?"
          grep -o "the agent cannot run here: user 65534 stands for every user" errors
          [ -e "$home/agent" ] || echo "nothing was made"
          """#)
      #expect(
        outcome.output.split(separator: "\n") == [
          "daemon 1", "the agent cannot run here: user 65534 stands for every user", "nothing was made",
        ], "\(outcome)")
    }
  }
}
