import Foundation
import Testing

/// The file of `gate token --watch --file`, and what happens to it.
struct WatchFileTests {
  /// A way to take the file's folder, with the way back and what the watch advises.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let begin, end, advice: String

    static let all =
      [
        Fault(
          testDescription: "the folder is removed", begin: "rm -r folder", end: "mkdir folder",
          advice: "make the folder"),
        Fault(
          testDescription: "the folder is moved away", begin: "mv folder away", end: "mv away folder",
          advice: "make the folder"),
        Fault(
          testDescription: "a file is in the folder's place", begin: "rm -r folder; touch folder",
          end: "rm folder; mkdir folder", advice: "must be a folder"),
        Fault(
          testDescription: "nothing can be written", begin: "prlimit --pid $pid --fsize=0:; rm folder/token",
          end: "prlimit --pid $pid --fsize=unlimited:", advice: "File too large"),
      ]
      // Root may write everywhere.
      + (geteuid() == 0
        ? []
        : [
          Fault(
            testDescription: "the folder is read-only", begin: "rm folder/token; chmod 500 folder",
            end: "chmod 700 folder", advice: "let this user write")
        ])
  }

  @Test(arguments: Fault.all)
  func `a watch says once that its file cannot be written, and writes it as soon as it can`(fault: Fault) async throws {
    try await GateHome.withAda { home in
      // What it says goes through a pipe: it could not be written to a file either.
      let outcome = try await home.beside(
        """
        trap '' XFSZ; mkdir folder; mkfifo pipe; cat pipe > errors &
        gate token --watch --file folder/token --on-change 'echo run >> runs' 2> pipe & pid=$!
        await '[ -s folder/token ] && [ -s runs ]'
        \(fault.begin)
        await 'says "could not be written"'
        await 'says "\(fault.advice)"'
        kill -0 $pid || exit 8
        sign_in $ada; gate token > new; truncate -s -1 new
        \(fault.end)
        await 'says "is written again"'
        await 'cmp -s new folder/token'
        await '[ $(wc -l < runs) -ge 2 ]'
        stat -c %a folder/token; ls -A folder; finish
        """)
      #expect(outcome.output == "600\ntoken\nstatus 0\n", "\(outcome)")
      // Between the two steps of a fault the watch may look as well: then the folder is not there, and that is said.
      let between = outcome.errors.split(separator: "\n").filter {
        $0.contains("No such file") && !$0.contains(fault.advice)
      }
      #expect(outcome.errors.split(separator: "\n").count == 2 + between.count && between.count <= 1, "\(outcome)")
      #expect(!outcome.errors.contains("eyJ"), "\(outcome)")
    }
  }

  @Test func `a file that was removed is written again, and a link in its place is replaced`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token first; echo other > elsewhere
        rm token
        await 'cmp -s first token'
        await 'says "was removed"'
        ln -sf elsewhere token
        await 'says "was changed by another program"'
        sign_in $ada
        await '[ ! -L token ]'
        cat elsewhere; stat -c %a token; finish
        """)
      #expect(outcome.output == "other\n600\nstatus 0\n", "\(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
    }
  }

  /// The command that ran for a file that is gone runs for the one that is there again.
  @Test func `the command runs when the folder is back, though the token is the same`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        mkdir folder
        watch --file folder/token --on-change 'echo run >> runs'
        await '[ -s runs ]'; cp folder/token first
        rm -r folder
        await 'says "could not be written"'
        mkdir folder
        await 'cmp -s first folder/token'
        await '[ $(wc -l < runs) -eq 2 ]'
        finish; wc -l < runs
        """)
      #expect(outcome.output == "status 0\n2\n", "\(outcome)")
    }
  }

  @Test func `a change of equal length is said, and a file that was only touched is not`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token first
        # At once: a look between two steps would see a third content.
        overwrite() { dd if=$1 of=token conv=notrunc 2> log; }
        chmod 640 token; touch token; cp token copy; overwrite copy
        rm token
        await 'says "was removed" && cmp -s first token'
        chmod 640 token; tr . , < first > other; overwrite other
        await 'says "was changed by another program; the next token replaces it"'
        sign_in $ada
        await '! cmp -s other token'
        finish
        """)
      #expect(outcome.output == "status 0\n" && outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
    }
  }

  @Test func `the file holds the token alone, with --json as well`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside("watch --json --file token; cut -c 1-3 token; finish")
      #expect(outcome.output == "eyJstatus 0\n" || outcome.output == "eyJ\nstatus 0\n", "\(outcome)")
    }
  }

  @Test func `a folder in the file's place is said, and the file comes when it is gone`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token first
        rm token; mkdir token
        await 'says "was changed by another program" || says "could not be written"'
        sign_in $ada
        await 'says "a folder is in the file.s place: remove it"'
        rmdir token
        await '[ -s token ]'
        cmp -s first token || echo fresh
        finish
        """)
      #expect(outcome.output == "fresh\nstatus 0\n", "\(outcome)")
    }
  }

  @Test(arguments: [
    "mkfifo token", "mkfifo pipe; ln -s pipe token", "\(Self.socket) token", "\(Self.socket) s; ln -s s token",
    "mkdir token", "mkdir folder; ln -s folder token", "ln -s /proc/self/fd/1 token",
  ])
  func `what is not a plain file is refused, and stays`(make: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        \(make); ls -dl token > before
        gate token --watch --file token 2>> errors & pid=$!
        ended; ls -dl token | cmp - before
        """)
      #expect(outcome.output == "status 2\n", "\(outcome)")
      #expect(outcome.errors.contains("--file must name a "), "\(outcome)")
    }
  }

  @Test(arguments: ["ln -s elsewhere token", "echo other > elsewhere; ln -s elsewhere token", "echo old > token"])
  func `a plain file, or a link to one or to nothing, is replaced at the start`(make: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        \(make); watch --file token; await '[ ! -L token ] && grep -q eyJ token'
        finish; [ ! -e elsewhere ] || grep -v other elsewhere
        """)
      #expect(outcome.output == "status 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test(arguments: ["mkfifo other", "mkfifo pipe; ln -s pipe other", "\(Self.socket) other"])
  func `what comes into the file's place and is not a plain file is said, and not replaced`(make: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token first
        \(make); mv -f other token; ls -dl token > before
        await 'says "token was changed by another program, and is not a plain file" || says "could not be written"'
        sign_in $ada
        await 'says "could not be written: .*token is not a plain file"'
        ls -dl token | cmp - before
        rm token
        await 'grep -q eyJ token && says "is written again"'
        finish; ls -A | grep tmp
        """)
      #expect(outcome.output == "status 0\n", "\(outcome)")
      #expect(!outcome.errors.contains("the next token replaces it"), "\(outcome)")
    }
  }

  /// Makes a socket.
  private static let socket =
    #"python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])'"#

  @Test(arguments: ["session.json", "session.json.lock", "provider/accounts.sqlite", "provider/keys/token"])
  func `a file of the home itself is refused`(file: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        gate token --watch --file "$GATEHOUSE_HOME/\(file)" & pid=$!
        ended; gate whoami
        """)
      #expect(outcome.output.hasPrefix("status 1\nada@example.com"), "\(outcome)")
      #expect(outcome.errors.contains("[invalidArgument]"), "\(outcome)")
    }
  }

  @Test func `what a watch left when it was killed while writing is removed`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        hex=0123456789abcdef; for name in $hex$hex $hex; do (umask 077; echo old > token.tmp-$name); done
        watch --file token; finish; ls -A | grep tmp
        """)
      #expect(outcome.output == "status 0\ntoken.tmp-0123456789abcdef\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `two watches of one file each write it whole`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; first=$pid
        trap 'kill -9 $first $pid' EXIT
        gate token --watch --file token 2>> others & pid=$!
        await 'says "was changed by another program"'
        sign_in $ada; gate token > new; truncate -s -1 new
        await 'cmp -s new token'
        await 'grep -q "was changed by another program" others'
        kill -TERM $first; wait $first; echo "status $?"; finish; ls -A | grep tmp
        """)
      #expect(outcome.output == "status 0\nstatus 0\n", "\(outcome)")
    }
  }
}
