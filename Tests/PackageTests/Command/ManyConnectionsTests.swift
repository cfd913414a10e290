import HangGuard
import Testing

/// A `gate serve` process with many connections, and few descriptors.
@Suite(.enabled("python3 is not installed") { await Terminal.isThere }) struct ManyConnectionsTests {
  private static let tools =
    ServeCommandTests.tools + """
      cat > clients.py << 'END'
      import http.client, resource, socket, sys, time
      port, pid = int(sys.argv[1].rsplit(":", 1)[1]), int(sys.argv[2])
      def connection():
          made = http.client.HTTPConnection("127.0.0.1", port, timeout=\(Watchdog.seconds))
          made.connect()
          return made
      def ask(made, path="/readyz", method="GET", body=None):
          made.request(method, path, body, {"Content-Type": "application/json"})
          answer = made.getresponse()
          answer.read()
          return answer.status
      END

      """

  @Test func `the soft limit of descriptors is raised as far as it may`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          ulimit -Sn 100; ulimit -Hn 600; serve
          grep "Max open files" /proc/$pid/limits
          """)
      #expect(outcome.output.contains(#/Max open files +600 +600 /#), "\(outcome)")
    }
  }

  @Test(arguments: [(300, 280), (64, 50)])
  func `clients that hold connections take the descriptors of neither the accounts nor the logs`(
    limit: Int, connections: Int
  ) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          ulimit -n \(limit); serve
          cat > held.py << 'END'
          from clients import *
          first = connection()
          print("before", ask(first))
          # All of them are accepted by the kernel. Those above the limit are answered and closed.
          count, open = \(connections), 12  # the server has opened more before it counts
          held = [socket.create_connection(("127.0.0.1", port), timeout=\(Watchdog.seconds)) for _ in range(count)]
          refused = 0
          for one in held:
              try:
                  one.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
                  answer = one.recv(12)
              except OSError: answer = b""
              refused += answer != b"HTTP/1.1 200"
          print("refused", count - (\(limit) - open) / 2 < refused < count)
          body = '{"email": "bob@example.com", "password": "correct horse"}'
          print("during", ask(first, "/v1/accounts:signUp?key=k", "POST", body), ask(first))
          END
          python3 held.py $address $pid
          kill -TERM $pid; wait $pid; echo "status $?"
          grep -c bob@example.com "$home/provider/audit/audit.jsonl"
          """)
      #expect(outcome.output == "before 200\nrefused True\nduring 200 200\nstatus 0\n1\n", "\(outcome)")
      #expect(outcome.errors.contains("connections are refused"), "\(outcome)")
    }
  }

  /// The server refuses a connection on another thread than the one that accepts it.
  @Test func `a burst of connections takes the descriptors of neither the accounts nor the logs`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          ulimit -n 64; serve
          cat > burst.py << 'END'
          from clients import *
          import struct
          for turn in range(50):
              burst = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
              for one in burst:
                  # Its end resets the connection.
                  one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                  one.close()
          END
          cat > user.py << 'END'
          from clients import *
          import subprocess
          first = connection()
          print("before", ask(first))
          bursts = [subprocess.Popen([sys.executable, "burst.py", *sys.argv[1:]]) for _ in range(2)]
          answers, number = set(), 0
          while number < 20 or None in [burst.poll() for burst in bursts]:
              body = '{"email": "%d@example.com", "password": "correct horse"}' % number
              answers.add(ask(first, "/v1/accounts:signUp?key=k", "POST", body))
              number += 1
          print("during", answers, [burst.returncode for burst in bursts])
          while ask(connection()) == 503: time.sleep(0.1)  # the last ones may still count
          print("after", ask(first))
          END
          python3 user.py $address $pid
          kill -TERM $pid; wait $pid; echo "status $?"
          """)
      #expect(outcome.output == "before 200\nduring {200} [0, 0]\nafter 200\nstatus 0\n", "\(outcome)")
      #expect(outcome.errors.contains("connections are refused"), "\(outcome)")
      #expect(!outcome.errors.contains("cannot be"), "\(outcome)")
    }
  }

  /// It pauses for a second before it tries again, and does not fill the log.
  @Test func `a server that runs out of descriptors takes connections again when there are some`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          serve
          cat > short.py << 'END'
          from clients import *
          first = connection()
          print("before", ask(first))
          soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
          resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))
          begun = time.monotonic()
          waiting = connection()
          while open("errors").read().count("cannot be accepted") < 3: time.sleep(0.01)
          print("paused", time.monotonic() - begun >= 2)
          resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
          print("after", ask(waiting), ask(first))
          END
          python3 short.py $address $pid
          kill -TERM $pid; wait $pid; echo "status $?"
          """)
      #expect(outcome.output == "before 200\npaused True\nafter 200 200\nstatus 0\n", "\(outcome)")
      #expect(outcome.errors.contains("a connection cannot be accepted: "), "\(outcome)")
    }
  }
}
