import Testing

/// The password prompt, on a terminal that Python makes.
@Suite(.enabled("python3 is not installed") { await Terminal.isThere })
struct PromptTests {
  @Test func `a password is asked for and not shown`() async throws {
    try await GateHome.withAda { home in
      let right = try await Terminal.run(home, ["sign-in", GateHome.email], typing: [GateHome.password])
      #expect(right.status == 0 && right.output.contains("signed in"), "\(right)")
      #expect(!right.output.contains(GateHome.password))
      let wrong = try await Terminal.run(home, ["sign-in", GateHome.email], typing: ["wrong horse"])
      #expect(wrong.status == 1 && wrong.output.contains("[wrongPassword]"), "\(wrong)")
    }
  }

  @Test func `a new password is asked for twice`() async throws {
    try await GateHome.withAda { home in
      let arguments = ["sign-up", "eve@example.com"]
      let differ = try await Terminal.run(home, arguments, typing: ["long enough", "long enuogh"])
      #expect(differ.status == 1 && differ.output.contains("the two passwords differ"), "\(differ)")
      let same = try await Terminal.run(home, arguments, typing: ["long enough", "long enough"])
      #expect(same.status == 0, "\(same)")
    }
  }

  @Test func `a weak password is refused before it is asked for again`() async throws {
    try await GateHome.withAda { home in
      let arguments = ["sign-up", "eve@example.com"]
      for (typed, needs) in [("short", "at least 6 characters"), ("long enough", "at least 12 characters, a digit")] {
        let outcome = try await Terminal.run(home, arguments, typing: [typed])
        #expect(outcome.status == 1 && outcome.output.contains("[weakPassword]"), "\(outcome)")
        #expect(outcome.output.contains("needs \(needs)") && !outcome.output.contains("again"), "\(outcome)")
        let settings = #"{"passwordRequirements": {"minimumLength": 12, "needsDigit": true}}"#
        #expect(try await home.shell("printf '%s' '\(settings)' > \"$home/provider.json\"").succeeded)
      }
      let good = try await Terminal.run(home, arguments, typing: ["long enough for 1", "long enough for 1"])
      #expect(good.status == 0, "\(good)")
    }
    try await GateHome.withNone { home in
      let first = try await Terminal.run(home, ["sign-up", "eve@example.com"], typing: ["short"])
      #expect(first.status == 1 && first.output.contains("at least 6 characters"), "\(first)")
      #expect(!first.output.contains("again"), "\(first)")
    }
  }

  @Test func `the marks that a terminal puts around what is pasted are no part of a password`() async throws {
    try await GateHome.withAda { home in
      let (begin, end) = ("\u{1B}[200~", "\u{1B}[201~")
      for (line, status) in [
        (begin + GateHome.password + end, 0), (begin + GateHome.password, 0), (GateHome.password + end, 0),
        (end + GateHome.password, 1), (begin + begin + GateHome.password, 1), (GateHome.password + end + " ", 1),
      ] {
        let outcome = try await Terminal.run(home, ["sign-in", GateHome.email], typing: [line])
        #expect(outcome.status == status, "\(line.debugDescription): \(outcome)")
      }
    }
  }

  /// A terminal returns one line at a time, and a carriage return ends a line. Input after the first line is not
  /// dropped silently. A line terminator that was copied with the password is.
  @Test func `a password of several lines is refused, and nothing is done`() async throws {
    let (begin, end) = ("\u{1B}[200~", "\u{1B}[201~")
    try await GateHome.withAda { home in
      let password = GateHome.password
      for (line, isGood) in [
        ("\(begin)\(password)\rsecond line\(end)", false), ("\(password)\recho LEAK", false),
        ("\(password)\r\rthird line", false), ("\(begin)\(password)\r\(end)", true), ("\(password)\r", true),
      ] {
        let outcome = try await Terminal.run(home, ["sign-in", GateHome.email], typing: [line])
        #expect(outcome.status == (isGood ? 0 : 1), "\(line.debugDescription): \(outcome)")
        #expect(outcome.output.contains("more than one line was typed or pasted") != isGood, "\(outcome)")
        #expect(!outcome.output.contains("LEAK") && !outcome.output.contains("line\(end)"), "\(outcome)")
      }
      let new = try await Terminal.run(home, ["sign-up", "eve@example.com"], typing: ["first long line\rsecond line"])
      #expect(new.status == 1 && !new.output.contains("made an account"), "\(new)")
    }
  }

  /// Linux drops what is typed beyond 4095 bytes of a line.
  @Test func `a password that a terminal may have cut is refused`() async throws {
    try await GateHome.withAda { home in
      for (length, code) in [(4094, "wrongPassword"), (4095, "invalidArgument"), (5000, "invalidArgument")] {
        let line = String(repeating: "a", count: length)
        let outcome = try await Terminal.run(home, ["sign-in", GateHome.email], typing: [line])
        #expect(outcome.status == 1 && outcome.output.contains("[\(code)]"), "\(length): \(outcome)")
        #expect(outcome.output.contains("--password-stdin") == (code == "invalidArgument"), "\(length): \(outcome)")
      }
      let empty = try await Terminal.run(home, ["sign-in", GateHome.email], typing: [""])
      #expect(empty.status == 1 && empty.output.contains("[missingPassword]"), "\(empty)")
    }
  }

  /// The program holds the accounts locked meanwhile, so that the check of the present password waits.
  @Test(arguments: ["go on", "interrupt", "wrong password"])
  func `what is typed while a password is checked is not shown`(then: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "program=$1; exec python3 -c \"$program\" \"$(command -v gate)\" --home \"$home\" password",
        Self.typingAhead,
        environment: ["present": then == "wrong password" ? "wrong" : GateHome.password, "then": then])
      #expect(outcome.output.contains("echo was on: False\n"), "\(outcome)")
      #expect(!outcome.output.contains("typed ahead"), "\(outcome)")
      #expect(outcome.output.hasSuffix("status \(then == "wrong password" ? 1 : -2), echo on: True\n"), "\(outcome)")
      #expect(outcome.output.contains("New password: ") == (then == "go on"), "\(outcome)")
    }
  }

  private static let typingAhead = """
    import fcntl, os, pty, sqlite3, sys, termios, time
    terminal, slave = pty.openpty()
    child = os.fork()
    if child == 0:
      os.setsid(); fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
      for number in 0, 1, 2: os.dup2(slave, number)
      os.execv(sys.argv[1], sys.argv[1:])
    seen = b""
    def until(text):
      global seen
      while text not in seen: seen += os.read(terminal, 4096)
    def echo(): return bool(termios.tcgetattr(slave)[3] & termios.ECHO)
    until(b": ")
    accounts = sqlite3.connect(sys.argv[3] + "/provider/accounts.sqlite", isolation_level=None)
    accounts.execute("BEGIN IMMEDIATE")
    os.write(terminal, os.environ["present"].encode() + b"\\n")
    until(b"\\r\\n")
    print("echo was on:", any([time.sleep(0.01) or echo() for _ in range(100)]))
    os.write(terminal, b"\\x03" if os.environ["then"] == "interrupt" else b"typed ahead")
    accounts.execute("ROLLBACK")
    if os.environ["then"] == "go on":
      until(b"New password: ")
      os.write(terminal, b"\\x03")
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    state = echo()
    os.close(slave)
    try:
      while True:
        some = os.read(terminal, 4096)
        if not some: break
        seen += some
    except OSError: pass
    print(seen.decode())
    print(f"status {status}, echo on: {state}")
    """

  @Test(arguments: [
    (["sign-up", "ada.example.com"], "invalidEmail"), (["sign-up", "\u{FB01}ona@example.com"], "invalidEmail"),
    (["sign-up", GateHome.email], "emailAlreadyInUse"), (["sign-up", "ADA@example.com"], "emailAlreadyInUse"),
    (["sign-in", "ada.example.com"], "invalidEmail"),
  ])
  func `an address that cannot be is refused before a password is asked for`(
    arguments: [String], code: String
  ) async throws {
    try await GateHome.withAda { home in
      let outcome = try await Terminal.run(home, arguments, typing: [])
      #expect(outcome.status == 1 && outcome.output.contains("[\(code)]"), "\(outcome)")
      #expect(!outcome.output.contains("Password of"), "\(outcome)")
    }
  }

  @Test func `a malformed address makes no provider`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("sign-up", "ada.example.com", "--password-stdin", input: "long enough")
      #expect(outcome.status == 1 && outcome.errors.contains("[invalidEmail]"), "\(outcome)")
      #expect((try? home.names()) == nil)
    }
  }
}
