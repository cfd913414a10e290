import Foundation
import GatehouseBase
import Testing

/// `gate second-factors`, and what an account with one wants of the other commands.
struct SecondFactorCommandTests {
  @Test func `a program enrolls an app, and gets recovery codes with the first one`() async throws {
    try await GateHome.withVerifiedAda { home in
      let (shown, outcome) = try await home.enroll("--name", "my phone") { try EnrolledApp.code($0) }
      #expect(outcome.succeeded && outcome.errors == "", "\(outcome)")
      #expect(shown.names == ["secret", "address"])
      let secret = try #require(shown["secret"]?.string)
      let address =
        "otpauth://totp/Gatehouse:ada@example.com?secret=\(secret)&issuer=Gatehouse&algorithm=SHA1&digits=6&period=30"
      #expect(shown["address"]?.string == address)
      let lines = outcome.output.split(separator: "\n")
      let done = try JSONObject(parsing: try #require(lines.last).utf8)
      #expect(lines.count == 2 && done.names == ["secondFactor", "recoveryCodes"], "\(outcome)")
      #expect(done["secondFactor"]?["displayName"] == "my phone" && done["recoveryCodes"]?.array?.count == 10)

      let list = try JSONObject(parsing: try await home.gate("second-factors", "list", "--json").output.utf8)
      let factor = try #require(list["secondFactors"]?.array?.first?.object)
      #expect(factor.names == ["id", "kind", "displayName", "enrolled"] && factor["kind"] == "totp", "\(list)")
      #expect(factor["id"] == done["secondFactor"]?["id"])
      let text = try await home.gate("second-factors", "list")
      #expect(
        text.output.hasPrefix("my phone (\(factor["id"]?.string ?? "")), authenticator app, enrolled "), "\(text)")

      // The codes of the first app stay good.
      let code = try #require(done["recoveryCodes"]?.array?.first?.string)
      let second = try await home.enroll("--second-factor", code) { try EnrolledApp.code($0) }
      #expect(second.outcome.succeeded && !second.outcome.output.contains("recoveryCodes"), "\(second)")
      let other = try #require(done["recoveryCodes"]?.array?.last?.string)
      #expect(try await home.signIn("--second-factor", other).succeeded)
    }
  }

  @Test func `a wrong code enrolls nothing, and neither does none`() async throws {
    try await GateHome.withVerifiedAda { home in
      let wrong = try await home.enroll { _ in "1234567" }
      #expect(wrong.outcome.status == 1 && wrong.outcome.errors.contains("[invalidVerificationCode]"), "\(wrong)")
      let none = try await home.enroll { _ in " " }
      #expect(none.outcome.status == 1 && none.outcome.errors.contains("[missingVerificationCode]"), "\(none)")
      let list = try await home.gate("second-factors", "list", "--json")
      #expect(list.output == #"{"secondFactors":[]}"# + "\n", "\(list)")
      let both = try await home.gate("second-factors", "enroll", "--json", "--password-stdin", input: "x\n")
      #expect(both.status == 2 && both.errors.contains("standard input is for the code"), "\(both)")
      let codes = try await home.gate("second-factors", "recovery-codes", "--password-file", home.passwordFile)
      #expect(codes.status == 1 && codes.errors.contains("run: gate second-factors enroll"), "\(codes)")
    }
  }

  @Test func `an address that is not verified is told before a password is asked for`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.gate("second-factors", "enroll", "--password-file", "missing", "--json")
      #expect(outcome.status == 1 && outcome.errors.contains("run: gate verify-email [unverifiedEmail]"), "\(outcome)")
      #expect(try await home.gate("sign-out").succeeded)
      for command in [["list"], ["enroll"], ["remove", "x"], ["recovery-codes"]] {
        let outcome = try await home.gate(["second-factors"] + command, input: [])
        #expect(outcome.status == 3 && outcome.errors.contains("[nullUser]"), "\(outcome)")
      }
    }
  }

  @Test func `a sign-in wants the second factor, and takes each code once`() async throws {
    try await GateHome.withApp { home, app in
      #expect(try await home.gate("sign-out").succeeded)
      let alone = try await home.shell(
        "setsid -w gate --home \"$home\" sign-in \(GateHome.email) --password-file \"$1\" --json < /dev/null",
        home.passwordFile)
      #expect(alone.status == 1 && alone.output.hasPrefix(#"{"error":{"code":"secondFactorRequired""#), "\(alone)")
      #expect(alone.errors.contains("give it with --second-factor"), "\(alone)")
      let wrong = try await home.signIn("--second-factor", try app.wrongCode())
      #expect(wrong.status == 1 && wrong.errors.contains("[invalidVerificationCode]"), "\(wrong)")
      #expect(try await home.gate("whoami").status == 3)

      let (code, right) = try await app.withNextCode {
        try await home.signIn("--second-factor", "\($0.prefix(3)) \($0.suffix(3))", "--json")
      }
      #expect(right.succeeded && right.output.contains(#""email":"ada@example.com""#), "\(right)")
      #expect(try await home.signIn("--second-factor", code).status == 1)
      let recovery = app.recoveryCodes[0].lowercased()
      #expect(try await home.signIn("--second-factor", recovery).succeeded)
      #expect(try await home.signIn("--second-factor", recovery).status == 1)
      #expect(try await home.gate("whoami").succeeded)
    }
  }

  @Test func `a try of a code counts once, however many apps the account has`() async throws {
    try await GateHome.withTwoApps { home, app, tablet in
      try Data(#"{"secondFactorThrottle": {"attempts": 3}}"#.utf8).write(
        to: URL(filePath: home.path + "/provider.json"))
      let unnamed = try await home.signIn("--second-factor", try tablet.nextCode())
      #expect(unnamed.status == 1 && unnamed.errors.contains("[secondFactorRequired]"), "\(unnamed)")
      #expect(unnamed.errors.contains("with --app: my phone (\(app.id)), tablet (\(tablet.id))"), "\(unnamed)")
      let unknown = try await home.signIn("--second-factor", "123456", "--app", "watch")
      #expect(unknown.status == 1 && unknown.errors.contains("no one app of the account is called watch"), "\(unknown)")
      for name in ["my phone", tablet.id] {
        let wrong = try await home.signIn("--second-factor", try app.wrongCode(), "--app", name)
        #expect(wrong.status == 1 && wrong.errors.contains("[invalidVerificationCode]"), "\(wrong)")
      }
      let (_, right) = try await tablet.withNextCode {
        try await home.signIn("--second-factor", $0, "--app", "tablet")
      }
      #expect(right.succeeded, "\(right)")
      // A recovery code is of no app.
      #expect(try await home.signIn("--second-factor", app.recoveryCodes[1]).succeeded)
    }
  }

  @Test func `a new sign-in for a change ends the session that it replaces`() async throws {
    try await GateHome.withApp { home, app in
      let before = try await home.sessionIDs()
      let made = try await home.gate(
        "second-factors", "recovery-codes", "--password-file", home.passwordFile, "--second-factor",
        app.recoveryCodes[0])
      #expect(made.succeeded, "\(made)")
      let after = try await home.sessionIDs()
      #expect(after.count == before.count && Set(after).isDisjoint(with: before), "\(before) \(after)")
      #expect(try await home.gate("token", "--force-refresh").succeeded)
    }
  }

  @Test func `what changes an account for good wants it as well`() async throws {
    try await GateHome.withApp { home, app in
      let new = "another horse battery"
      let passwords = "\(GateHome.password)\n\(new)\n"
      let wrong = try await home.gate(
        "password", "--password-stdin", "--second-factor", try app.wrongCode(), input: passwords)
      #expect(wrong.status == 1 && wrong.errors.contains("[invalidVerificationCode]"), "\(wrong)")
      let changed = try await home.gate(
        "password", "--password-stdin", "--second-factor", app.recoveryCodes[0], input: passwords)
      #expect(changed.succeeded, "\(changed)")
      let used = try await home.gate(
        "delete", "--password-stdin", "--second-factor", app.recoveryCodes[0], input: new)
      #expect(used.status == 1 && used.errors.contains("[invalidVerificationCode]"), "\(used)")
      let deleted = try await home.gate(
        "delete", "--password-stdin", "--second-factor", app.recoveryCodes[1], input: new)
      #expect(deleted.succeeded, "\(deleted)")
    }
  }

  @Test func `the link of the message about a new factor removes the factor`() async throws {
    try await GateHome.withApp { home, _ in
      let message = try #require(try home.names(in: "outbox").last)
      let notice = try String(contentsOfFile: home.path + "/outbox/" + message, encoding: .utf8)
      let code = try #require(notice.firstMatch(of: /oobCode=([\w\-]+)/), "\(notice)")
      let done = try await home.gate("apply-code", "--code-stdin", input: "\(code.1)\n")
      #expect(done.output.hasPrefix("removed the second factor that was added to the account of ada@"), "\(done)")
      #expect(try await home.gate("token", "--force-refresh").status == 3)
      #expect(try await home.signIn().succeeded)
    }
  }

  @Test(arguments: ["12", "2025550123", "+0", "+1202555012x"])
  func `a number that is none is refused before a password is asked for`(number: String) async throws {
    try await GateHome.withAda { home in
      let refused = try await home.gate("second-factors", "enroll", "--phone", number)
      #expect(refused.status == 2 && refused.errors.contains("--phone is no phone number"), "\(refused)")
    }
  }

  @Test func `a factor is removed by its name, and recovery codes are replaced`() async throws {
    try await GateHome.withApp { home, app in
      let proof = ["--password-file", home.passwordFile, "--second-factor"]
      let made = try await home.gate(
        ["second-factors", "recovery-codes", "--json"] + proof + [app.recoveryCodes[0]], input: [])
      let json = try JSONObject(parsing: made.output.utf8)
      let new = try #require(json["recoveryCodes"]?.array).compactMap(\.string)
      #expect(json.names == ["recoveryCodes"] && new.count == 10, "\(made)")
      #expect(try await home.signIn("--second-factor", app.recoveryCodes[1]).status == 1)

      let unknown = try await home.gate("second-factors", "remove", "your phone")
      #expect(unknown.status == 1 && unknown.errors.contains("no second factor is called your phone"), "\(unknown)")
      let removed = try await home.gate(
        ["second-factors", "remove", "my phone", "--json"] + proof + [new[0]], input: [])
      #expect(removed.output == #"{"removed":true,"id":"\#(app.id)"}"# + "\n", "\(removed)")
      #expect(try await home.signIn().succeeded)
      let list = try await home.gate("second-factors", "list")
      #expect(list.output == "the account has no second factor\n", "\(list)")
    }
  }
}
