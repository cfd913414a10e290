import Foundation
import HangGuard
import Testing

/// What the terminal's keys do at a password prompt: `gate` is a job of a shell on a terminal, both made by Python.
@Suite(.enabled("python3 is not installed") { await Terminal.isThere })
struct PromptSignalTests {
  @Test func `a prompt that was stopped hides the password again`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(home, ["sign-in", GateHome.email], keys: ["stop", GateHome.password])
      #expect(job.output.contains("stopped, echo on\n") && job.output.contains("asked again, echo off\n"), "\(job)")
      #expect(job.output.contains("exited 0, echo on\n"), "\(job)")
      #expect(!job.output.contains(GateHome.password), "\(job)")
      #expect(job.output.contains("Password of \(GateHome.email): "), "\(job)")
    }
  }

  @Test func `a prompt of a program that was stopped by another one hides the password again`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(home, ["sign-in", GateHome.email], keys: ["SIGSTOP", GateHome.password])
      #expect(job.output.contains("exited 0, echo on\n") && !job.output.contains(GateHome.password), "\(job)")
    }
  }

  @Test func `a prompt that goes on in the background is stopped there, and asks in the foreground`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(home, ["sign-in", GateHome.email], keys: ["background", GateHome.password])
      #expect(
        job.output.contains("stopped by 21, echo on\n") && job.output.contains("asked again, echo off\n"), "\(job)")
      #expect(job.output.contains("exited 0, echo on\n") && !job.output.contains(GateHome.password), "\(job)")
      #expect(job.output.components(separatedBy: "Password of").count == 3, "\(job)")
    }
  }

  @Test func `a prompt that begins in the background is stopped, and leaves the terminal alone`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(
        home, ["sign-in", GateHome.email], keys: [GateHome.password], beginning: "background")
      #expect(job.output.hasPrefix("stopped by 21, echo on\n"), "\(job)")
      #expect(job.output.contains("exited 0, echo on\n") && !job.output.contains(GateHome.password), "\(job)")
    }
  }

  @Test(arguments: ["stop", "background"])
  func `a prompt that shows what is typed asks again as well`(key: String) async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(
        home, ["users", "delete", GateHome.email], keys: [key, "yes"], hidesTyping: false)
      #expect(job.output.contains("\(key == "stop" ? "stopped" : "stopped by 21"), echo on\n"), "\(job)")
      #expect(job.output.contains("asked again, echo on\n") && job.output.contains("exited 0, echo on\n"), "\(job)")
      #expect(job.output.components(separatedBy: "Type yes: ").count == 3, "\(job)")
    }
  }

  @Test func `the end of the input at a prompt that shows what is typed ends its line`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(
        home, ["users", "delete", GateHome.email], keys: ["end"], hidesTyping: false)
      #expect(job.output.contains("exited 1, echo on\n"), "\(job)")
      #expect(job.output.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("gate: the answer") }, "\(job)")
    }
  }

  @Test func `a prompt that shows what is typed and begins in the background is stopped there`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(
        home, ["users", "delete", GateHome.email], keys: ["yes"], beginning: "background", hidesTyping: false)
      #expect(job.output.hasPrefix("stopped by 21, echo on\n"), "\(job)")
      #expect(job.output.contains("exited 0, echo on\n"), "\(job)")
    }
  }

  @Test(arguments: ["background and SIGTERM", "stop and SIGTERM"])
  func `a prompt that is stopped can be ended`(key: String) async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(home, ["sign-in", GateHome.email], keys: [key])
      #expect(job.output.contains("killed by 15, echo on\n"), "\(job)")
    }
  }

  @Test(arguments: [("interrupt", 2), ("quit", 3), ("SIGTERM", 15), ("SIGHUP", 1)])
  func `a signal ends the program by that signal, and its line too`(key: String, number: Int) async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(home, ["sign-in", GateHome.email], keys: [key])
      #expect(job.output.contains("killed by \(number), echo on\n"), "\(job)")
      #expect(!job.output.contains("Backtrace") && !job.output.contains("crashed"), "\(job)")
      #expect(job.output.contains("next line begins at column 0\n"), "\(job)")
    }
  }

  @Test func `an interrupt that the starter ignores stays ignored`() async throws {
    try await GateHome.withAda { home in
      let job = try await Terminal.job(
        home, ["sign-up", "eve@example.com"], keys: [GateHome.password, "interrupt", GateHome.password],
        ignoring: "SIGINT")
      #expect(job.output.contains("exited 0, echo on\n"), "\(job)")
    }
  }
}

extension Terminal {
  /// Runs the command as a job of a small shell and presses keys at its prompt: `stop`, `interrupt`, `quit`, or the
  /// name of a signal, which another program sends; every other text is typed as a line. `background` stops the job and
  /// has it go on in the background; `… and SIGTERM` ends it then, as a shell's `kill %1` does. Prints what happened,
  /// and then all that the terminal showed.
  static func job(
    _ home: GateHome, _ arguments: [String], keys: [String], ignoring: String = "", beginning: String = "foreground",
    hidesTyping: Bool = true
  ) async throws -> ChildProcess.Outcome {
    try await home.shell(
      "program=$1; arguments=$2; exec python3 -c \"$program\" \"$(command -v gate)\" --home \"$home\" $arguments",
      jobProgram, arguments.joined(separator: " "),
      environment: [
        "keys": keys.joined(separator: "\n"), "ignoring": ignoring, "beginning": beginning,
        "hides": hidesTyping ? "yes" : "",
      ])
  }

  private static let jobProgram = """
    import fcntl, os, pty, signal, sys, termios, threading, time
    terminal, slave = pty.openpty()
    events, tell = os.pipe()
    orders, order = os.pipe()
    shell = os.fork()
    if shell == 0:  # the leader of the terminal's session, as a shell is
      os.setsid(); fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
      for number in 0, 1, 2: os.dup2(slave, number)
      signal.signal(signal.SIGTTOU, signal.SIG_IGN)
      job = os.fork()
      if job == 0:
        os.setpgid(0, 0)
        if os.environ["beginning"] == "foreground": os.tcsetpgrp(0, os.getpid())
        # A shell that starts the tests in the background has them ignore SIGINT and SIGQUIT.
        for number in signal.SIGTTOU, signal.SIGPIPE, signal.SIGQUIT: signal.signal(number, signal.SIG_DFL)
        if not os.environ["ignoring"]: signal.signal(signal.SIGINT, signal.SIG_DFL)
        else: signal.signal(signal.Signals[os.environ["ignoring"]], signal.SIG_IGN)
        os.execv(sys.argv[1], sys.argv[1:])
      os.write(tell, b"job %d\\n" % job)
      while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        os.tcsetpgrp(0, os.getpid())
        if not os.WIFSTOPPED(status):
          how = b"exited %d" % os.waitstatus_to_exitcode(status)
          if os.WIFSIGNALED(status): how = b"killed by %d" % os.WTERMSIG(status)
          os.write(tell, how + b"\\n"); os._exit(0)
        how = os.WSTOPSIG(status)
        os.write(tell, b"stopped\\n" if how in (signal.SIGTSTP, signal.SIGSTOP) else b"stopped by %d\\n" % how)
        if os.read(orders, 1) == b"f": os.tcsetpgrp(0, job)
        os.kill(-job, signal.SIGCONT)
    seen = b""
    def look():
      global seen
      while True:
        try: seen += os.read(terminal, 4096)
        except OSError: return
    reader = threading.Thread(target=look, daemon=True); reader.start()
    def until(done):
      for _ in range(\(Watchdog.seconds * 100)):
        if done(): return
        time.sleep(0.01)
      sys.exit("waited in vain: " + seen.decode())
    def echo(): return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
    def word(): return "on" if echo() else "off"
    events = os.fdopen(events)
    job = int(events.readline().split()[1])
    asked = 0
    def question():
      until(lambda: seen.count(b": ") > asked and not (os.environ["hides"] and echo()))
      return seen.count(b": ")
    if os.environ["beginning"] == "background":
      print(events.readline().strip() + ", echo", word())
      os.write(order, b"f")
    asked = question()
    keys = os.environ["keys"].split("\\n")
    for index, key in enumerate(keys):
      special = {"stop": b"\\x1a", "interrupt": b"\\x03", "quit": b"\\x1c", "end": b"\\x04"}
      if key.startswith("SIG"): os.kill(job, signal.Signals[key])
      elif "background" in key or key.startswith("stop "): os.write(terminal, special["stop"])
      else: os.write(terminal, special.get(key, key.encode() + b"\\n"))
      if "background" in key:
        events.readline()
        os.write(order, b"b")
      if key.endswith(" and SIGTERM"):
        print(events.readline().strip())
        os.kill(job, signal.SIGTERM)
        os.write(order, b"b")
      elif key in ("stop", "SIGSTOP", "background"):
        print(events.readline().strip() + ", echo", word())
        # A shell shows what is typed at its own prompt.
        settings = termios.tcgetattr(terminal); settings[3] |= termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
        os.write(order, b"f")
        if key != "SIGSTOP": asked = question()
        else: until(lambda: not echo())
        print("asked again, echo", word())
      elif key not in special and not key.startswith("SIG") and index + 1 < len(keys): asked = question()
    print(events.readline().strip() + ", echo", word())
    os.close(slave); reader.join(30)
    text = seen.decode().replace("\\r\\n", "\\n")
    if text.endswith("\\n"): print("next line begins at column 0")
    print(text, end="")
    """
}
