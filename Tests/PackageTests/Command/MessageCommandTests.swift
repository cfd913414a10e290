import Foundation
import GatehouseBase
import Testing

/// `gate reset-password`, `gate verify-email` and `gate apply-code`.
struct MessageCommandTests {
  private static let new = "another horse battery"

  private static func link(of outcome: ChildProcess.Outcome) throws -> String {
    try #require(try JSONObject(parsing: outcome.output.utf8)["link"]?.string, "\(outcome)")
  }

  @Test func `a reset's link sets a new password once, and ends the session`() async throws {
    try await GateHome.withAda { home in
      let sent = try await home.gate("reset-password", GateHome.email, "--json")
      let json = try JSONObject(parsing: sent.output.utf8)
      #expect(json.names == ["to", "subject", "mailed", "text", "link"], "\(sent)")
      #expect(json["to"]?.string == GateHome.email && json["mailed"] == false)
      let link = try Self.link(of: sent)
      #expect(json["text"]?.string?.contains(link) == true && link.contains("mode=resetPassword&oobCode="))

      let none = try await home.gate("apply-code", "--code-stdin", input: link)
      #expect(none.status == 1 && none.errors.contains("[missingPassword]"), "\(none)")
      let weak = try await home.gate("apply-code", "--code-stdin", input: "\(link)\nx\n")
      #expect(weak.status == 1 && weak.errors.contains("[weakPassword]"), "\(weak)")
      let set = try await home.gate("apply-code", "--code-stdin", "--json", input: "\(link)\n\(Self.new)\n")
      #expect(set.output == #"{"operation":"passwordReset","email":"ada@example.com"}"# + "\n", "\(set)")
      let again = try await home.gate("apply-code", "--code-stdin", input: "\(link)\n\(Self.new)\n")
      #expect(again.status == 1 && again.errors.contains("[invalidActionCode]"), "\(again)")
      #expect(try await home.gate("token", "--force-refresh").status == 3)
      #expect(try await home.gate("sign-in", GateHome.email, "--password-stdin", input: Self.new).succeeded)
    }
  }

  @Test func `an address is verified by the link or its code, and the session knows it`() async throws {
    try await GateHome.withAda { home in
      let sent = try await home.gate("verify-email")
      #expect(sent.output.contains("To: ada@example.com\nSubject: Verify your address for Gatehouse\n"), "\(sent)")
      let link = try #require(sent.output.firstMatch(of: /\n(http\S+oobCode=([\w\-]+)\S*)\n/), "\(sent)")
      // As it is pasted from a message.
      let done = try await home.gate("apply-code", "--code-stdin", input: " <\"\(link.2)\">\r\n")
      #expect(done.output == "verified ada@example.com\n", "\(done)")
      #expect(try await home.gate("whoami", "--json").output.contains(#""emailVerified":true"#))
      let used = try await home.gate("apply-code", "--code-stdin", "--json", input: "\(link.1)\n")
      #expect(used.status == 1 && used.output.hasPrefix(#"{"error":{"code":"invalidActionCode""#), "\(used)")
    }
  }

  @Test func `an address is changed by the link, and given back by the one that its former one gets`() async throws {
    try await GateHome.withAda { home in
      let (password, new) = (GateHome.password, "ada@example.org")
      let verification = try Self.link(of: try await home.gate("verify-email", "--json"))
      #expect(try await home.gate("apply-code", "--code-stdin", input: "\(verification)\n").succeeded)
      let wrong = try await home.gate("change-email", new, "--password-stdin", input: "wrong horse")
      #expect(wrong.status == 1 && wrong.errors.contains("[wrongPassword]"), "\(wrong)")
      let bad = try await home.gate("change-email", "nonsense", "--password-file", "none")
      #expect(bad.status == 1 && bad.errors.contains("[invalidEmail]"), "\(bad)")
      let sent = try await home.gate("change-email", new, "--password-stdin", "--json", input: password)
      #expect(try JSONObject(parsing: sent.output.utf8)["to"]?.string == new, "\(sent)")
      #expect(try await home.gate("whoami").output.hasPrefix(GateHome.email))

      let changed = try await home.gate("apply-code", "--code-stdin", "--json", input: "\(try Self.link(of: sent))\n")
      let operation = #"{"operation":"verifyAndChangeEmail","email":"\#(new)","previousEmail":"ada@example.com"}"#
      #expect(changed.output == operation + "\n", "\(changed)")
      #expect(try await home.gate("token", "--force-refresh").status == 3)
      #expect(try await home.gate("sign-in", new, "--password-stdin", input: password).succeeded)
      #expect(try await home.gate("sign-in", GateHome.email, "--password-stdin", input: password).status == 1)

      let outbox = try home.names(in: "outbox")
      let notice = try String(contentsOfFile: home.path + "/outbox/" + #require(outbox.last), encoding: .utf8)
      #expect(outbox.count == 1 && notice.contains("To: ada@example.com"), "\(notice)")
      let code = try #require(notice.firstMatch(of: /oobCode=([\w\-]+)/), "\(notice)")
      let back = try await home.gate("apply-code", "--code-stdin", input: "\(code.1)\n")
      #expect(back.output.hasPrefix("gave the account its address ada@example.com back"), "\(back)")
      #expect(try await home.gate("token", "--force-refresh").status == 3)
      #expect(try await home.gate("sign-in", GateHome.email, "--password-stdin", input: password).succeeded)
      #expect(try await home.gate("sign-in", new, "--password-stdin", input: password).status == 1)
    }
  }

  /// Else a program would take it that a sign-in helps.
  @Test func `what needs no user is refused with 1, and what needs one with 3`() async throws {
    try await GateHome.withAda { home in
      let unknown = try await home.gate("reset-password", "eve@example.com", "--json")
      #expect(unknown.status == 1 && unknown.output.hasPrefix(#"{"error":{"code":"userNotFound""#), "\(unknown)")
      let bad = try await home.gate("apply-code", "--code-stdin", input: "nonsense\n")
      #expect(bad.status == 1 && bad.errors.contains("[invalidActionCode]"), "\(bad)")
      for input in ["", "\nx\n", "a\nb\nc\n"] {
        let lines = try await home.gate("apply-code", "--code-stdin", input: input)
        #expect(lines.status == 1 && lines.errors.contains("must have a line with the link or code"), "\(lines)")
      }
      #expect(try await home.gate("sign-out").succeeded)
      #expect(try await home.gate("verify-email").status == 3)
    }
  }

  /// What the mail program gets, and its failure.
  @Test func `a mail program takes the message, and nothing secret is shown`() async throws {
    try await GateHome.withAda { home in
      let script = "#!/bin/sh\ncat > '\(home.folder)/mail'\nexit \"$(cat '\(home.folder)/status')\"\n"
      _ = try await home.shell("printf '%s' \"$1\" > mailer; chmod 755 mailer; echo 0 > status", script)
      let arguments = [
        "reset-password", GateHome.email, "--sendmail", home.folder + "/mailer", "--from", "gate@example.com",
      ]
      let sent = try await home.gate(arguments + ["--json"], input: [])
      let subject = "A new password for Gatehouse"
      #expect(sent.output == #"{"to":"ada@example.com","subject":"\#(subject)","mailed":true}"# + "\n", "\(sent)")
      let mail = try String(contentsOfFile: home.folder + "/mail", encoding: .utf8)
      #expect(mail.contains("To: ada@example.com\n") && mail.contains("From: gate@example.com\n"), "\(mail)")
      _ = try await home.shell("echo 75 > status")
      let failed = try await home.gate(arguments, input: [])
      #expect(failed.status == 1 && failed.errors.contains("cannot take the message now"), "\(failed)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a person pastes the link, and types the new password twice`() async throws {
    try await GateHome.withAda { home in
      let link = try Self.link(of: try await home.gate("reset-password", GateHome.email, "--json"))
      let empty = try await Terminal.run(home, ["apply-code"], typing: [""])
      #expect(empty.status == 1 && empty.output.contains("no link or code was given"), "\(empty)")
      let slip = try await Terminal.run(home, ["apply-code"], typing: [link, Self.new, "other"])
      #expect(slip.status == 1 && slip.output.contains("the two passwords differ"), "\(slip)")
      let set = try await Terminal.run(home, ["apply-code"], typing: [link, Self.new, Self.new])
      #expect(set.status == 0 && set.output.contains("set a new password for ada@example.com"), "\(set)")
      #expect(set.output.contains("New password of ada@example.com: ") && !set.output.contains("oobCode"), "\(set)")
    }
  }
}
