import GatehouseBase
import Testing

/// How the command answers to arguments that it does not understand.
struct UsageTests {
  @Test(arguments: [
    ["nonsense"], ["--nonsense"], ["sign-up"], ["sign-up", ""], ["sign-in", ""],
    ["sign-in", "a@example.com", "b@example.com"], ["token", "--file", "x"],
    ["token", "--on-change", "true"], ["token", "--watch", "--force-refresh"], ["token", "--watch", "--file", ""],
    ["token", "--watch", "--file", "x/"], ["token", "--watch", "--file", "x/.."], ["token", "--watch", "--file", "."],
    ["token", "--watch", "--file", "~/x"], ["--home=~/x", "whoami"], ["whoami", "--home", "~"],
    ["verify", "--issuer", "https://a.example/{tenantid}/v2.0", "--audience", "a", "a.b.c"],
    ["token", "--watch", "--on-change", ""], ["--home", "", "whoami"],
    ["verify", "--jwks"],
    ["sign-in", "a@example.com", "--password-stdin", "--password-file", "x"],
    ["sign-in", "a@example.com", "--password", "secret"],
    ["verify", "--batch", "a.b.c"], ["verify", "--jws", "--issuer", "x"],
    ["verify", "--batch", "--jws", "--audience", "x"],
    ["jwt", "nonsense"], ["jwt", "sign"], ["jwt", "sign", "--key", "x", "--alg", "none"],
    ["jwt", "sign", "--key", "x", "--claims", "{}", "--claims-file", "x"],
    ["jwt", "sign", "--key", "x", "--expires-in", "0"], ["jwt", "sign", "--key", "x", "--passphrase", "secret"],
    ["jwt", "sign", "--key", "x", "--passphrase-stdin", "--passphrase-file", "x"],
    ["key", "generate", "--type", "dsa"], ["key", "generate", "--bits", "2048"],
    ["key", "generate", "--type", "rsa", "--bits", "1024"], ["key", "generate", "--type", "oct", "--bits", "130"],
    ["key", "generate", "--curve", "P-257"], ["key", "generate", "--type", "rsa", "--curve", "P-256"],
    ["key", "generate", "--type", "oct", "--format", "pem"], ["key", "generate", "--format", "pem", "--kid", "x"],
    ["key", "generate", "--passphrase-file", "x"], ["key", "generate", "--alg", "none"],
    ["key", "generate", "--out", ""],
    ["key", "generate", "--use", "sig", "--alg", "ECDH-ES"], ["key", "show"], ["key", "convert", "x"],
    ["key", "convert", "x", "--to", "jwk", "--new-passphrase-file", "x"],
    ["jwt", "sign", "--key", "x", "--issuer", ""], ["jwt", "sign", "--key", "x", "--audience", ""],
    ["jwt", "sign", "--key", "x", "--subject", ""],
    ["jwt", "sign", "--key", ""], ["jwt", "sign", "--key", "x", "--claims-file", ""], ["key", "show", ""],
    ["key", "thumbprint", ""], ["key", "convert", "", "--to", "jwk"], ["jwks", ""], ["verify", "--jwks", "", "a.b.c"],
    ["sign-in", "a@example.com", "--password-file", ""], ["verify", "--issuer", "me", "--audience", "a", "a.b.c"],
    ["provider", "nonsense"], ["provider", "backup"], ["provider", "restore"], ["provider", "backup", ""],
    ["provider", "restore", ""], ["provider", "backup", "x", "--replace"],
    ["sign-in", "a@example.com", "--second-factor", ""], ["second-factors", "nonsense"],
    ["second-factors", "enroll", "--name", ""],
    ["second-factors", "remove"], ["second-factors", "remove", ""], ["sessions", "end"], ["sessions", "end", ""],
    ["sessions", "end", "x", "--others"], ["reset-password"], ["reset-password", ""],
    ["reset-password", "a@example.com", "--from", "b@example.com"], ["verify-email", "--sendmail", "x"],
    ["apply-code", "x"],
  ])
  func `wrong usage ends with 2`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains("Usage:"), "\(outcome)")
    }
  }

  @Test(arguments: [
    ["--home=", "whoami"], ["whoami", "--home="], ["sign-out", "--home="], ["verify", "--audience=", "a.b.c"],
    ["verify", "--algorithms=", "a.b.c"], ["jwks", "--home=", "a.b.c"],
  ])
  func `an option without a value does not take the next argument`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.status == 2 && outcome.output == "" && outcome.errors.contains("= has no value"), "\(outcome)")
      #expect(!outcome.errors.contains("a.b.c"), "\(outcome)")
    }
  }

  @Test func `what excludes each other is on two lines of the usage`() async throws {
    let outcome = try await ChildProcess("\(Repository.products)/gate", ["help", "token"]).run()
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.contains { $0.contains("--force-refresh") && $0.contains("gate token") }, "\(outcome)")
    #expect(!lines.contains { $0.contains("--force-refresh") && $0.contains("--watch") }, "\(outcome)")
  }

  @Test(arguments: ["--json", "--sarif", "--trace", "--suppress"])
  func `an empty name of a file is refused with its option`(option: String) async throws {
    let outcome = try await QueueCheckScene.run(["true"], [option, ""])
    #expect(outcome.status == 2 && outcome.errors.contains("'\(option) <file>'"), "\(outcome)")
    #expect(outcome.errors.contains("it is empty; give a file's name"), "\(outcome)")
  }

  @Test(arguments: [["--bogus"], ["--bogus", "x"], ["swift", "test"]])
  func `a program without the two dashes before it is told where they go`(arguments: [String]) async throws {
    let outcome = try await ChildProcess("\(Repository.products)/gate", ["queuecheck"] + arguments).run()
    #expect(outcome.status == 2 && outcome.errors.contains("Write it after --, such as"), "\(outcome)")
  }

  @Test func `JSON that a program is asked for is not asked of gate`() async throws {
    for (arguments, isAsked) in [(["--", "true", "--json"], false), (["--json", "--", "true"], true)] {
      let outcome = try await ChildProcess("\(Repository.products)/gate", ["token", "--bogus"] + arguments).run()
      #expect(outcome.status == 2 && outcome.output.isEmpty != isAsked, "\(outcome)")
    }
  }

  @Test func `a program's own option may be without a value`() async throws {
    let outcome = try await QueueCheckScene.run(["echo", "--home="])
    #expect(outcome.status == 0 && outcome.output == "--home=\n", "\(outcome)")
  }

  @Test func `without a terminal a password must come from somewhere`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell("setsid -w gate --home \"$home\" sign-in ada@example.com < /dev/null")
      #expect(outcome.status == 2 && outcome.errors.contains("--password-stdin"), "\(outcome)")
    }
  }

  @Test(arguments: [
    ("sign-in", "ada@example.com"), ("sign-up", "eve@example.com"), ("password", ""), ("delete", ""),
    ("apply-code", ""),
    ("key show", "key"),
  ])
  func `what a command lacks is told with its own usage`(name: String, argument: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        """
        echo secret > passphrase
        gate key generate --format pem --passphrase-file passphrase --out key > shown
        GATEHOUSE_HOME="$home" setsid -w gate \(name) \(argument) < /dev/null
        """)
      #expect(outcome.status == 2 && outcome.errors.contains("there is no terminal to ask for"), "\(outcome)")
      #expect(outcome.errors.contains("Usage: gate \(name) "), "\(outcome)")
      #expect(outcome.errors.contains("See 'gate \(name) --help'"), "\(outcome)")
    }
  }

  @Test func `a usage of several lines is below its title, and names the command alone`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        printf 'a long password' | gate --home "$home" sign-up ada@example.com --password-stdin > /dev/null
        setsid -w gate --home "$home" agent login work ada@example.com < /dev/null
        """)
      #expect(
        outcome.status == 2 && outcome.errors.contains("\n       gate agent login NAME --token-file "), "\(outcome)")
      #expect(outcome.errors.contains("\n  See 'gate agent login --help' "), "\(outcome)")
    }
  }

  @Test(arguments: [
    (["second-factors", "nonsense"], "'gate second-factors --help' lists the commands"),
    (["sessions", "lst"], "did you mean 'list'?"), (["nonsense"], "'gate --help' lists the commands"),
    (["sessions", "end", "--others", "foo"], "leave it out to end the one named"),
    (["sessions", "end"], "name a session, or give --others"),
  ])
  func `a command that is mistyped gets advice`(arguments: [String], advice: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.status == 2 && outcome.errors.contains(advice), "\(outcome)")
    }
  }

  /// The names of all commands, each with those above it.
  private static func commands() async throws -> [[String]] {
    let dump = try await ChildProcess("\(Repository.products)/gate", ["--experimental-dump-help"]).run().output
    func names(in command: JSONValue?, _ above: [String]) -> [[String]] {
      [above]
        + (command?["subcommands"]?.array ?? []).flatMap { sub in
          names(in: sub, above + [sub["commandName"]?.string ?? ""])
        }
    }
    return names(in: try JSONObject(parsing: dump.utf8)["command"], [])
  }

  @Test(arguments: [20, 40, 60, 80, 200])
  func `every help fits the width that is asked for, and says the same`(columns: Int) async throws {
    let all = try await Self.commands()
    #expect(all.count >= 25)
    for names in all {
      let text = try await Self.help(names, columns)
      for line in text.split(separator: "\n") where line.count > columns {
        // One word, or a bracket of a usage.
        let words = line.drop { $0 == " " }
        #expect(!words.contains(" ") || (words.hasPrefix("[") && columns < 40), "\(names): \(line)")
      }
      func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
      let wide = try #require(try await Self.wideHelps.value[names])
      #expect(words(text) == words(wide), "\(names)")
    }
  }

  private static func help(_ names: [String], _ columns: Int) async throws -> String {
    var child = ChildProcess("\(Repository.products)/gate", ["help"] + names)
    child.environment = ["COLUMNS": "\(columns)"]
    return try await child.run().output
  }

  private static let wideHelps = Task {
    var helps: [[String]: String] = [:]
    for names in try await commands() { helps[names] = try await help(names, 1000) }
    return helps
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a help and a usage fit the terminal`() async throws {
    try await GateHome.withNone { home in
      for (arguments, status) in [(["--help"], 0), (["help", "verify"], 0), (["token", "--nonsense"], 2)] {
        let outcome = try await Terminal.run(home, arguments, typing: [], columns: 40)
        #expect(outcome.status == status, "\(outcome)")
        let lines = outcome.output.replacing("\r\n", with: "\n").split(separator: "\n")
        let usage = lines.drop { !$0.lowercased().hasPrefix("usage: ") }
        #expect(usage.count > 3 && usage.prefix(3).allSatisfy { $0.count <= 40 }, "\(outcome)")
      }
    }
  }

  @Test(
    .enabled("python3 is not installed") { await Terminal.isThere },
    arguments: [
      (["token"], 3), (["tokn"], 2), (["sign-in", "nobody.example"], 1), (["verify", "--issuer", "x", "a.b.c"], 2),
      (["whoami", "--home="], 2),
    ])
  func `an error fits the terminal`(arguments: [String], status: Int) async throws {
    try await GateHome.withNone { home in
      func shown(_ columns: Int) async throws -> String {
        let outcome = try await Terminal.run(home, arguments, typing: [], columns: columns)
        #expect(outcome.status == status, "\(outcome)")
        return outcome.output.replacing("\r\n", with: "\n")
      }
      let narrow = try await shown(40)
      // A longer word, such as a path, has a line of its own.
      for line in narrow.split(separator: "\n") where line.count > 40 {
        #expect(!line.drop { $0 == " " }.contains(" "), "\(narrow)")
      }
      let wide = try await shown(1000)
      #expect(narrow.split(whereSeparator: \.isWhitespace) == wide.split(whereSeparator: \.isWhitespace), "\(narrow)")
      #expect(narrow.split(separator: "\n").count > wide.split(separator: "\n").count)
    }
  }

  @Test func `a script of completions is not laid out`() async throws {
    var child = ChildProcess("\(Repository.products)/gate", ["--generate-completion-script", "bash"])
    child.environment = ["COLUMNS": "20"]
    let narrow = try await child.run()
    child.environment = ["COLUMNS": "200"]
    let wide = try await child.run()
    #expect(wide.output == narrow.output && narrow.succeeded)
  }

  @Test(arguments: [
    (["se"], "second-factors serve service-accounts sessions"), (["users", "cr"], "create"),
    (["users", "list", ""], ""),
    (["nonsense", ""], ""),
  ])
  func `bash completes the commands after help`(words: [String], commands: String) async throws {
    let count = words.count + 1
    let script = """
      . <("$gate" --generate-completion-script bash)
      COMP_WORDS=(gate help "$@") COMP_CWORD=\(count) COMP_LINE="gate help $*" COMP_POINT=${#COMP_LINE}
      _gate gate "${!#}" help
      printf '%s\\n' "${COMPREPLY[@]}" | grep -v '^-' | LC_ALL=C sort
      """
    var child = ChildProcess("/bin/bash", ["-c", script, "bash"] + words)
    child.environment = ["gate": "\(Repository.products)/gate", "PATH": "/usr/bin:/bin"]
    let outcome = try await child.run()
    let offered = outcome.output.split(separator: "\n").filter { !$0.isEmpty }.joined(separator: " ")
    #expect(offered == commands, "\(outcome)")
  }

  @Test(arguments: [
    ("zsh", "'help users') compadd -- "),
    ("fish", #"complete -c 'gate' -n 'set -l words (commandline -opc)[2..]; test "$words" = "help users"' -fa '"#),
  ])
  func `the scripts for zsh and fish have the commands after help`(shell: String, line: String) async throws {
    let outcome = try await ChildProcess(
      "\(Repository.products)/gate", ["--generate-completion-script", shell]
    ).run()
    #expect(outcome.succeeded && outcome.output.contains(line), "\(outcome)")
  }

  @Test(arguments: [
    ["--help"], ["help"], ["help", "token"], ["token", "--help"], ["jwt"], ["key"], ["help", "jwt", "sign"],
    ["provider"],
  ])
  func `help is an answer`(arguments: [String]) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate(arguments, input: [])
      #expect(outcome.succeeded && outcome.errors == "" && outcome.output.contains("USAGE: gate"), "\(outcome)")
    }
  }

  @Test func `the help and the document have the same exit statuses`() async throws {
    let help = try await ChildProcess("\(Repository.products)/gate", ["help"]).run().output
    let document = try Repository.text(of: "Docs/command.md")
    let told = help.matches(of: /^ +(\d|128 \+ N) {2,}/.anchorsMatchLineEndings()).map { String($0.1) }
    let written = document.matches(of: /^\| (\d|128 \+ N) \|/.anchorsMatchLineEndings()).map { String($0.1) }
    #expect(told == ["0", "1", "2", "3", "4", "128 + N"] && told == written, "\(told) \(written)")
  }

  @Test func `the help tells how to try the watch`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.gate("help", "token")
      for word in ["GATEHOUSE_TOKEN_LIFETIME", "GATEHOUSE_TOKEN_FILE", "SIGTERM"] {
        #expect(outcome.output.contains(word), "\(word)")
      }
    }
  }
}
