import Foundation
import HangGuard
import Testing

/// How `gate token --watch` ends, and what becomes of the command that it runs.
struct WatchEndTests {
  @Test func `no command begins after SIGTERM`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'echo run >> runs; until [ -e go ]; do sleep 0.1; done'; cp token old
        await '[ -s runs ]'
        sign_in $ada
        await '! cmp -s old token'
        kill -TERM $pid; then=$(date +%s); await '[ $(date +%s) -gt $((then + 2)) ]'; touch go; ended; cat runs
        """)
      #expect(outcome.output == "status 0\nrun\n", "\(outcome)")
      let words = "gate: waiting for the --on-change command, 10 s at most; a second signal ends it at once\n"
      #expect(outcome.errors == words, "\(outcome)")
    }
  }

  @Test func `a command that does not end is ended after a while, with all that it runs`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'sh -c "echo \\$\\$ > inner; sleep 100; :"; echo never'
        await '[ -s inner ]'
        finish; await '! kill -0 $(cat inner) 2> /dev/null'
        """)
      #expect(outcome.output == "status 0\n", "\(outcome)")
      #expect(outcome.errors.contains("the --on-change command still runs after 10 s, and is ended"), "\(outcome)")
      #expect(!outcome.errors.contains("goes on"), "\(outcome)")
    }
  }

  /// A run that is due begins even though the session has ended, but not after a run that had to be ended.
  @Test func `a command that had to be ended is the last one`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'echo run >> runs; exec sleep 100'; cp token old
        await '[ -s runs ]'
        sign_in $ada
        await '! cmp -s old token'
        gate sign-out > signed-out; ended; cat runs
        """)
      #expect(outcome.output == "status 3\nrun\n", "\(outcome)")
      #expect(outcome.errors.contains("still runs after 10 s, and is ended"), "\(outcome)")
    }
  }

  /// This includes the first signal: the watch is already ending, and has reported that another signal does not wait.
  @Test func `a signal to a watch that is ending waits for no command`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'echo $$ > inner; exec sleep 100'
        await '[ -s inner ]'
        gate sign-out > signed-out
        await 'says "waiting for the --on-change command"'
        kill -TERM $pid; ended; await '! kill -0 $(cat inner) 2> /dev/null'
        """)
      #expect(outcome.output == "status 143\n", "\(outcome)")
      #expect(!outcome.errors.contains("still runs"), "\(outcome)")
    }
  }

  @Test func `a second signal waits for no command, and ends it`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'echo $$ > inner; exec sleep 100'
        await '[ -s inner ]'
        await 'kill -TERM $pid 2> /dev/null; ! kill -0 $pid 2> /dev/null'
        ended; await '! kill -0 $(cat inner) 2> /dev/null'
        """)
      #expect(outcome.output == "status 143\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test(arguments: ["token --watch", "token --watch --json"])
  func `a closed pipe ends the watch at once`(arguments: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        "{ timeout \(Watchdog.seconds) gate \(arguments); echo \"status $?\" >&2; } | head -n 1 | wc -l")
      #expect(outcome.output == "1\n" && outcome.errors == "status 141\n", "\(outcome)")
    }
  }

  @Test(arguments: ["TERM", "HUP"])
  func `a signal ends the watch though its reader does not read`(signal: String) async throws {
    try await GateHome.withAda { home in
      // It comes when a thread writes to the output, which is full.
      let outcome = try await home.beside(
        """
        \(ShellWait.writes)
        mkfifo full; exec 8<> full; dd if=/dev/zero of=full bs=4096 oflag=nonblock 2> /dev/null
        gate token --watch > full 2>> errors 8<&- & pid=$!
        await 'writes $pid 1'
        kill -\(signal) $pid; ended
        """)
      #expect(outcome.output == "status 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `the command's environment is that of the watch, byte for byte`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        export GATEHOUSE_TEST="$(printf 'caf\\351')" GATEHOUSE_TOKEN_FILE=other
        watch --file token --on-change 'printf "%s %s" "$GATEHOUSE_TEST" "$GATEHOUSE_TOKEN_FILE" > made; mv made got'
        await '[ -s got ]'; finish; printf 'caf\\351 %s' "$PWD/token" | cmp - got
        """)
      #expect(outcome.output == "status 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `a watch goes on though its messages are not read, and ends with its status`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        mkfifo full; exec 8<> full; dd if=/dev/zero of=full bs=4096 oflag=nonblock 2> /dev/null
        gate token --watch --file token 2> full 8<&- & pid=$!
        await '[ -s token ]'
        for i in 1 2 3; do rm token; await '[ -s token ]'; done
        finish
        gate token --watch --file token 2> full 8<&- & pid=$!
        await '[ -s token ]'; rm token; await '[ -s token ]'
        gate sign-out > signed-out; ended
        """)
      #expect(outcome.output == "status 0\nstatus 3\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `messages that are read late are all there, in order`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        mkfifo full; exec 8<> full; dd if=/dev/zero of=full bs=4096 oflag=nonblock 2> /dev/null
        gate token --watch --file token 2> full 8<&- & pid=$!
        await '[ -s token ]'
        rm token; await '[ -s token ]'
        mv token away; ln -s away token; await '[ -L token ]'
        tr -d '\\0' < full > errors 8<&- & reader=$!
        gate sign-out > signed-out
        ended; await 'readlink /proc/$reader/fd/0 | grep -q full'; exec 8<&-; wait $reader
        """)
      #expect(outcome.output == "status 3\n", "\(outcome)")
      let lines = outcome.errors.split(separator: "\n")
      #expect(lines.first?.contains("was removed") == true && lines.last?.contains("has ended") == true, "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Python.isThere })
  func `a watch that ends while a refresh is due says nothing of it`() async throws {
    try await GateHome.withAda { home in
      // The stored token has expired, so the watch begins with a refresh. It must open the provider, which another
      // program keeps from being written until the watch has ended.
      let outcome = try await home.beside(
        """
        gate token --force-refresh > stored || exit 98; then=$(date +%s)
        await '[ $(date +%s) -gt $((then + 5)) ]'
        python3 -c 'import os, sqlite3, sys, time
        accounts = sqlite3.connect(sys.argv[1]); accounts.execute("BEGIN IMMEDIATE"); open("held", "w")
        while not os.path.exists("go"): time.sleep(0.05)' "$GATEHOUSE_HOME/provider/accounts.sqlite" & holder=$!
        await '[ -e held ]'
        gate token --watch --file token 2>> errors & pid=$!
        trap 'kill -9 $pid $holder 2> /dev/null; cat errors >&2' EXIT
        await 'ls -l /proc/$pid/fd 2> /dev/null | grep -q accounts.sqlite'
        finish
        [ ! -e token ] || echo written; touch go; wait $holder
        """, tokenLifetime: 5)
      #expect(outcome.output == "status 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `a command that is stopped is said once`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'echo run >> runs; [ -e go ] || { echo $$ > inner; kill -STOP $$; }'
        await 'says "the --on-change command is stopped"'
        cp token old; sign_in $ada; await '! cmp -s old token'
        touch go; kill -CONT $(cat inner)
        await '[ $(wc -l < runs) = 2 ]'
        finish
        """)
      #expect(outcome.output == "status 0\n", "\(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1 && outcome.errors.contains("kill -KILL"), "\(outcome)")
    }
  }

  @Test func `a hang-up ends the watch, unless its starter ignores it`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; kill -HUP $pid; ended
        rm token; trap '' HUP; watch --file token; kill -HUP $pid
        sign_in $ada; gate token > new; truncate -s -1 new
        await 'cmp -s new token'
        finish
        """)
      #expect(outcome.output == "status 0\nstatus 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `the command inherits no descriptor but three, and no signal that is blocked or ignored`() async throws {
    try await GateHome.withAda { home in
      // What the test's own starter leaves open or ignores is not in question.
      let outcome = try await home.beside(
        """
        exec 9> lock
        watch --file token --on-change 'echo $$ > inner; exec sleep 100'
        await '[ -s inner ] && grep -q sleep /proc/$(cat inner)/comm'
        inner=$(cat inner); echo $(ls /proc/$inner/fd); grep -E '^Sig(Blk|Ign)' /proc/$inner/status
        kill -KILL $inner; finish
        """)
      let none = String(repeating: "0", count: 7)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 4 && lines.first == "0 1 2" && lines.last == "status 0", "\(outcome)")
      // Higher digits are those of real-time signals. SIGINT (2) and SIGQUIT (3): a shell has its background jobs
      // ignore them.
      #expect(lines.contains { $0.hasPrefix("SigBlk") && $0.hasSuffix(none) }, "\(outcome)")
      #expect(lines.contains { $0.hasPrefix("SigIgn") && $0.hasSuffix(none.dropLast() + "6") }, "\(outcome)")
    }
  }

  @Test func `a watched program has the descriptors and ignored signals of its starter, and no others`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.beside(
        """
        trap '' HUP PIPE; exec 9> lock
        look() {
          await '[ -s inner ] && grep -q sleep /proc/$(cat inner)/comm'
          inner=$(cat inner); ls /proc/$inner/fd; grep ^SigIgn /proc/$inner/status; rm inner
        }
        sh -c 'echo $$ > inner; exec sleep 100' & pid=$!
        look > plain; kill -KILL $pid; wait $pid 2> /dev/null
        gate queuecheck -- sh -c 'echo $$ > inner; exec sleep 100' & pid=$!
        look > watched; kill -HUP $pid $inner; kill -TERM $pid; wait $pid; echo "status $?"; pid=
        cmp plain watched || cat plain watched
        grep -q '^9$' plain && echo 9
        """)
      #expect(outcome.output == "status 143\n9\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Python.isThere })
  func `a program's status is told though the starter ignores SIGCHLD`() async throws {
    try await GateHome.withNone { home in
      // A shell would not pass it on.
      let outcome = try await home.shell(
        """
        exec python3 -c 'import os, signal, sys
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        os.execv(sys.argv[1], sys.argv[1:])' "$(command -v gate)" queuecheck -- sh -c 'exit 7'
        """)
      #expect(outcome.status == 7 && outcome.errors == "", "\(outcome)")
    }
  }
}
