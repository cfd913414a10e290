/// A terminal that Python makes, for what the command does only when people are there.
enum Terminal {
  static var isThere: Bool {
    get async { (try? await ChildProcess("python3", ["-c", "import pty"]).run())?.succeeded ?? false }
  }

  /// What is typed in place of this: what an authenticator app shows that has the secret on the screen.
  static let appCode = "{code}"
  /// In place of this the code is typed that an app shows next.
  static func nextCode(of app: EnrolledApp) -> String { "{next \(app.secret)}" }
  /// What is typed in place of this: the code of the text in the home's outbox.
  static let textCode = "{text}"

  /// Runs the command on a terminal, and types a line at each prompt, and the end of the input where that is asked for.
  static func run(
    _ home: GateHome, _ arguments: [String], typing lines: [String], columns: Int = 80, rows: Int = 24,
    environment: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    let answers = lines.joined(separator: "\n")
    return try await home.shell(
      "program=$1; arguments=$2; exec python3 -c \"$program\" \"$(command -v gate)\" --home \"$home\" $arguments",
      program, arguments.joined(separator: " "),
      environment: environment.merging(["answers": answers, "columns": "\(columns)", "rows": "\(rows)"]) { $1 })
  }

  /// The code that an app with a secret shows at this moment, or so many periods later.
  static let appCodes = """
    import base64, hmac, struct, time
    def app_code(secret, later):
      tag = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30 + later), "sha1")
      start = tag[-1] & 15
      return b"%06d" % ((struct.unpack(">I", tag[start:start + 4])[0] & 0x7fffffff) % 1000000)

    """

  private static let program = """
    \(appCodes)
    import fcntl, os, pty, re, sys, termios
    def typed(answer):
      if answer == "{text}":
        outbox = sys.argv[3] + "/outbox/"
        text = open(outbox + sorted(os.listdir(outbox))[-1], "rb").read()
        return re.findall(rb"\\b\\d{6}\\b", text)[-1]
      if answer.startswith("{next "): return app_code(answer[6:-1], 1)
      if answer != "{code}": return answer.encode()
      return app_code(re.findall(rb"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}", seen)[-1].replace(b" ", b""), 0)
    child, terminal = pty.fork()
    if child == 0:
      fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(os.environ["rows"]), int(os.environ["columns"]), 0, 0))
      os.execv(sys.argv[1], sys.argv[1:])
    answers, seen, asked = os.environ["answers"].split("\\n"), b"", 0
    while True:
      try: some = os.read(terminal, 4096)
      except OSError: break
      if not some: break
      seen += some
      ends = seen.endswith(b"Ctrl-D\\r\\n")
      if (ends or seen.endswith(b": ")) and asked < len(answers):
        os.write(terminal, typed(answers[asked]) + (b"\\n\\x04" if ends else b"\\n"))
        asked += 1
    print(seen.decode())
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
}
