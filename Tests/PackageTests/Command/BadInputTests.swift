import Foundation
import Glibc
import Testing

/// What the command answers to input that is wrong: exit status 1, the reason on standard error, nothing lost, and
/// never the end by a signal.
struct BadInputTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let what: String
    let arguments: [String]
    var input = Array(GateHome.password.utf8)
    let reason: String

    var testDescription: String { what }

    static let all = [
      Refusal(
        what: "a wrong password", arguments: signIn(GateHome.email), input: Array("wrong horse".utf8),
        reason: "wrongPassword"),
      Refusal(what: "an unknown user", arguments: signIn("eve@example.com"), reason: "userNotFound"),
      Refusal(
        what: "a weak password", arguments: signUp("eve@example.com"), input: Array("12345".utf8),
        reason: "weakPassword"),
      Refusal(what: "a malformed address", arguments: signUp("eve"), reason: "invalidEmail"),
      Refusal(
        what: "an address with an escape sequence", arguments: signUp("a\u{1B}[2J@example.com"), reason: "invalidEmail"),
      Refusal(
        what: "an address of 10 000 bytes", arguments: signUp(String(repeating: "a", count: 9_988) + "@example.com"),
        reason: "invalidEmail"),
      Refusal(what: "an account that exists", arguments: signUp(GateHome.email), reason: "emailAlreadyInUse"),
      Refusal(
        what: "an account that exists, in capitals", arguments: signUp("ADA@EXAMPLE.COM"), reason: "emailAlreadyInUse"),
      Refusal(
        what: "an empty password at sign-up", arguments: signUp("eve@example.com"), input: [], reason: "missingPassword"
      ),
      Refusal(
        what: "an empty password at sign-in", arguments: signIn(GateHome.email), input: [], reason: "missingPassword"),
      Refusal(
        what: "a newline for a password", arguments: signUp("eve@example.com"), input: [0x0A],
        reason: "missingPassword"),
      Refusal(
        what: "an empty new password", arguments: ["password", "--password-stdin"],
        input: Array("\(GateHome.password)\n\n".utf8), reason: "missingPassword"),
      Refusal(
        what: "a password of 10 MB", arguments: signUp("eve@example.com"),
        input: [UInt8](repeating: 0x61, count: 10_000_000), reason: "invalidArgument"),
      Refusal(
        what: "a password of 10 000 bytes", arguments: signUp("eve@example.com"),
        input: [UInt8](repeating: 0x61, count: 10_000), reason: "passwordDoesNotMeetRequirements"),
      Refusal(
        what: "a password that is not UTF-8", arguments: signUp("eve@example.com"),
        input: Array("long enough".utf8) + [0xFF], reason: "invalidArgument"),
      Refusal(
        what: "a password file that is not there",
        arguments: ["sign-in", GateHome.email, "--password-file", "/nowhere"], reason: "storeUnreadable"),
      Refusal(
        what: "a password file that is a folder", arguments: ["sign-in", GateHome.email, "--password-file", "/"],
        reason: "storeUnreadable"),
      Refusal(what: "an empty token", arguments: ["verify", ""], reason: "tokenMalformed"),
      Refusal(
        what: "a token of dots", arguments: ["verify"], input: [UInt8](repeating: 0x2E, count: 1000),
        reason: "tokenMalformed"),
      Refusal(
        what: "a token of 10 MB", arguments: ["verify"], input: [UInt8](repeating: 0x61, count: 10_000_000),
        reason: "tokenTooLarge"),
      Refusal(what: "a token that is not UTF-8", arguments: ["verify"], input: [0xFF], reason: "invalidArgument"),
      Refusal(
        what: "a key set of 10 MB", arguments: ["verify", "a.b.c", "--jwks", "/dev/stdin"],
        input: [UInt8](repeating: 0x20, count: 10_000_000), reason: "invalidArgument"),
    ]

    private static func signUp(_ email: String) -> [String] { ["sign-up", email, "--password-stdin"] }
    private static func signIn(_ email: String) -> [String] { ["sign-in", email, "--password-stdin"] }
  }

  @Test(arguments: ["sign-in \(GateHome.email) --password-stdin", "verify", "apply-code --code-stdin"])
  func `standard input that is closed is called closed`(command: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell("gate \(command) --home \"$home\" <&-")
      #expect(outcome.status == 1 && outcome.errors.hasPrefix("gate: standard input is closed ["), "\(outcome)")
    }
  }

  @Test(arguments: Refusal.all)
  func `bad input is refused with its reason, and changes nothing`(refusal: Refusal) async throws {
    try await GateHome.withAda { home in
      let before = try Data(contentsOf: URL(filePath: home.session))
      let outcome = try await home.gate(refusal.arguments, input: refusal.input)
      #expect(outcome.status == 1 && outcome.errors.contains("[\(refusal.reason)]"), "\(outcome)")
      #expect(outcome.output == "" && !outcome.errors.contains("\u{1B}"), "\(outcome)")
      #expect(try Data(contentsOf: URL(filePath: home.session)) == before)
    }
  }

  @Test func `a password with a NUL is the password, whole`() async throws {
    try await GateHome.withAda { home in
      let password = Array("long\0enough".utf8)
      let made = try await home.gate(["sign-up", "eve@example.com", "--password-stdin"], input: password)
      #expect(made.succeeded, "\(made)")
      let half = try await home.gate("sign-in", "eve@example.com", "--password-stdin", input: "long")
      #expect(half.status == 1 && half.errors.contains("[wrongPassword]"), "\(half)")
      let whole = try await home.gate(["sign-in", "eve@example.com", "--password-stdin"], input: password)
      #expect(whole.succeeded, "\(whole)")
    }
  }

  @Test func `a lifetime that is no number is refused`() async throws {
    for lifetime in ["x", "0", "-1", "86401", "99999999999999999999", "1.5"] {
      try await GateHome.withAda { home in
        let outcome = try await home.gate("token", environment: ["GATEHOUSE_TOKEN_LIFETIME": lifetime])
        #expect(outcome.status == 2 && outcome.errors.contains("from 1 to 86400, and is \(lifetime)"), "\(outcome)")
      }
    }
  }

  @Test(arguments: [["whoami"], ["token"], ["token", "--force-refresh"], ["token", "--watch"]])
  func `a damaged session is refused and left alone`(arguments: [String]) async throws {
    try await GateHome.withAda { home in
      for damaged in ["", "{\"format\":1,\"session\":{", "\0\0\0", "[]"] {
        try Data(damaged.utf8).write(to: URL(filePath: home.session))
        let outcome = try await home.gate(arguments, input: [])
        #expect(outcome.status == 1 && outcome.errors.contains("[storeDamaged]"), "\(damaged): \(outcome)")
        #expect(try Data(contentsOf: URL(filePath: home.session)) == Data(damaged.utf8))
      }
    }
  }

  @Test func `a sign-in replaces a damaged session, and keeps it aside`() async throws {
    try await GateHome.withAda { home in
      try Data("half".utf8).write(to: URL(filePath: home.session))
      let outcome = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(outcome.succeeded, "\(outcome)")
      #expect(try Data(contentsOf: URL(filePath: home.session + ".damaged-1")) == Data("half".utf8))
      #expect(try await home.gate("whoami").succeeded)
    }
  }

  @Test func `a session of a later version is refused, and no account is made`() async throws {
    try await GateHome.withAda { home in
      let later = #"{"format":99,"session":{}}"#
      try Data(later.utf8).write(to: URL(filePath: home.session))
      for arguments in [["whoami"], ["token"], ["sign-out"], ["sign-up", "eve@example.com", "--password-stdin"]] {
        let outcome = try await home.gate(arguments, input: Array("long enough".utf8))
        #expect(outcome.status == 1 && outcome.errors.contains("[storeTooNew]"), "\(outcome)")
      }
      #expect(try Data(contentsOf: URL(filePath: home.session)) == Data(later.utf8))
      try FileManager.default.removeItem(atPath: home.session)
      let unknown = try await home.gate("sign-in", "eve@example.com", "--password-stdin", input: "long enough")
      #expect(unknown.errors.contains("[userNotFound]"), "\(unknown)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Python.isThere })
  func `accounts of a later version are refused`() async throws {
    try await GateHome.withAda { home in
      let changed = try await home.shell(
        "python3 -c \"$1\" \"$home/provider/accounts.sqlite\"",
        """
        import sqlite3, sys
        with sqlite3.connect(sys.argv[1]) as accounts:
          accounts.execute("INSERT INTO grdb_migrations VALUES ('v999')")
        """)
      #expect(changed.succeeded, "\(changed)")
      for arguments in [["jwks"], ["verify", "a.b.c"], ["token", "--force-refresh"]] {
        let outcome = try await home.gate(arguments, input: [])
        #expect(outcome.status == 1 && outcome.errors.contains("[providerTooNew]"), "\(outcome)")
      }
      #expect(try await home.gate("whoami").succeeded, "the session is still there")
    }
  }

  @Test(.enabled("python3 is not installed") { await Python.isThere })
  func `a disabled user is refused, and the session ends with that reason`() async throws {
    try await GateHome.withAda { home in
      let changed = try await home.shell(
        "python3 -c \"$1\" \"$home/provider/accounts.sqlite\"",
        """
        import sqlite3, sys
        with sqlite3.connect(sys.argv[1]) as accounts: accounts.execute("UPDATE account SET disabled = 1")
        """)
      #expect(changed.succeeded, "\(changed)")
      #expect(try await home.gate("token").succeeded, "the token at hand is good until it expires")
      for arguments in [["token", "--force-refresh"], ["sign-in", GateHome.email, "--password-stdin"]] {
        let outcome = try await home.gate(arguments, input: Array(GateHome.password.utf8))
        let status: Int32 = arguments[0] == "token" ? 3 : 1
        #expect(outcome.status == status && outcome.errors.contains("[userDisabled]"), "\(outcome)")
      }
      let nobody = try await home.gate("whoami")
      #expect(nobody.errors.contains("[nullUser]"), "\(nobody)")
    }
  }

  @Test(.enabled("only root can give files away") { geteuid() == 0 })
  func `a home that belongs to somebody else is refused`() async throws {
    try await GateHome.withAda { home in
      try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: home.path)
      for arguments in [
        ["whoami"], ["token"], ["sign-out"], ["jwks"], ["verify", "a.b.c"],
        ["sign-up", "eve@example.com", "--password-stdin"], ["sign-in", GateHome.email, "--password-stdin"],
      ] {
        let outcome = try await home.gate(arguments, input: Array(GateHome.password.utf8))
        #expect(
          outcome.status == 1
            && (outcome.errors.contains("[storeUnsafe]") || outcome.errors.contains("[providerUnsafe]")),
          "\(outcome)")
      }
    }
  }

  @Test func `a home that others can write to is refused`() async throws {
    try await GateHome.withAda { home in
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.path)
      for arguments in [["whoami"], ["jwks"], ["verify", "a.b.c"]] {
        let outcome = try await home.gate(arguments, input: [])
        #expect(outcome.status == 1 && outcome.errors.contains("Unsafe]"), "\(outcome)")
      }
    }
  }

  @Test(arguments: ["token", "whoami", "jwks", "--help", "sign-out"])
  func `an answer that nobody can read is an error`(command: String) async throws {
    try await GateHome.withAda { home in
      for place in ["> /dev/full", ">&-"] {
        let outcome = try await home.shell("gate --home \"$home\" \(command) \(place)")
        #expect(outcome.status == 1 && outcome.errors.contains("standard output"), "\(place): \(outcome)")
      }
    }
  }

  @Test func `an account that was made is named, though the answer cannot be written`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        "echo long enough | gate --home \"$home\" sign-up a@example.com --password-stdin > /dev/full")
      #expect(outcome.status == 1 && outcome.errors.contains("the account a@example.com was made"), "\(outcome)")
    }
  }

  @Test func `a reader that has gone away ends the command quietly, and no token is taken for written`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        "mkfifo gone; { read -r _ < gone; gate --home \"$home\" token; echo $? > status; } | { exec <&-; echo > gone; }"
      )
      #expect(outcome.errors == "", "\(outcome)")
      #expect(try String(contentsOfFile: home.folder + "/status", encoding: .utf8) == "141\n")
    }
  }
}

enum Python {
  static var isThere: Bool {
    get async { (try? await ChildProcess("python3", ["-c", "import sqlite3, pty"]).run())?.succeeded ?? false }
  }
}
