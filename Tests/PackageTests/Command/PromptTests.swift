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
