import Foundation
import GatehouseBase
import Testing

/// The accounts and keys of a home, administered through the built command.
struct UsersCommandTests {
  @Test func `an account is made, shown, changed, disabled, revoked and deleted`() async throws {
    try await GateHome.withAda { home in
      let made = try await home.gate(
        "users", "create", "grace@example.com", "--uid", "grace", "--password-stdin", "--claims", #"{"role":"admin"}"#,
        "--email-verified", "--json", input: "a long password\n")
      let json = try JSONObject(parsing: made.output.utf8)
      #expect(made.succeeded && json["uid"] == "grace" && json["claims"]?["role"] == "admin", "\(made)")
      #expect(
        json.names == [
          "uid", "email", "emailVerified", "disabled", "signInMethods", "secondFactors", "claims", "created",
          "validSince",
        ])
      let shown = try await home.gate("users", "show", "GRACE@example.com")
      #expect(shown.output.contains("address       grace@example.com, verified\n"), "\(shown)")
      #expect(shown.output.contains("last sign-in  never\n"), "\(shown)")

      let changed = try await home.gate(
        "users", "update", "grace", "--display-name", "Grace", "--no-email-verified", "--claims", "{}", "--json")
      #expect(changed.output.contains(#""emailVerified":false,"displayName":"Grace""#), "\(changed)")
      let signIn = ["sign-in", "grace@example.com", "--password-stdin"]
      #expect(try await home.gate(signIn, input: Array("a long password".utf8)).succeeded)
      let disabled = try await home.gate("users", "disable", "grace@example.com")
      #expect(disabled.output == "disabled: grace@example.com (grace)\n", "\(disabled)")
      #expect(try await home.gate("token", "--force-refresh").status == 3)
      #expect(try await home.gate("users", "enable", "grace").succeeded)
      #expect(try await home.gate(signIn, input: Array("a long password".utf8)).succeeded)
      let revoked = try await home.gate("users", "revoke", "grace")
      #expect(revoked.output == "ended the sessions of grace@example.com (grace)\n", "\(revoked)")
      #expect(try await home.gate("token", "--force-refresh").status == 3)
      let password = try await home.gate("users", "update", "grace", "--password-stdin", input: "another password")
      #expect(password.succeeded, "\(password)")
      #expect(try await home.gate(signIn, input: Array("another password".utf8)).succeeded)

      let deleted = try await home.gate("users", "delete", "grace", "--yes", "--json")
      #expect(deleted.output == #"{"deleted":true,"uid":"grace"}"# + "\n", "\(deleted)")
      let gone = try await home.gate("users", "show", "grace", "--json")
      #expect(gone.status == 1 && gone.output.hasPrefix(#"{"error":{"code":"userNotFound""#), "\(gone)")
      let audit = try String(contentsOfFile: home.path + "/provider/audit/administration.jsonl", encoding: .utf8)
      #expect(audit.contains(#""event":"accountDeleted","uid":"grace""#), "\(audit)")
      #expect(!audit.contains("a long password") && !audit.contains("another password"), "\(audit)")
    }
  }

  @Test func `a name that reads like an address is an identifier with --uid`() async throws {
    try await GateHome.withAda { home in
      #expect(try await home.gate("users", "create", "--uid", GateHome.email).succeeded)
      let disabled = try await home.gate("users", "disable", GateHome.email, "--uid", "--json")
      #expect(try JSONObject(parsing: disabled.output.utf8)["uid"]?.string == GateHome.email, "\(disabled)")
      let deleted = try await home.gate("users", "delete", "--uid", GateHome.email, "--yes", "--json")
      #expect(deleted.output == #"{"deleted":true,"uid":"\#(GateHome.email)"}"# + "\n", "\(deleted)")
      let other = try JSONObject(parsing: try await home.gate("users", "show", GateHome.email, "--json").output.utf8)
      #expect(other["email"]?.string == GateHome.email && other["disabled"]?.bool == false, "\(other)")
      #expect(try await home.gate("users", "show", GateHome.email, "--uid").status == 1)
    }
  }

  @Test func `an address that another account has is no advice to sign in, for an administrator`() async throws {
    try await GateHome.withAda { home in
      #expect(try await home.gate("users", "create", "--uid", "grace").succeeded)
      for command in [["create", GateHome.email], ["update", "grace", "--email", GateHome.email]] {
        let outcome = try await home.gate(["users"] + command, input: [])
        #expect(
          outcome.status == 1 && outcome.errors == "gate: another account has this address [emailAlreadyInUse]\n",
          "\(outcome)")
      }
    }
  }

  @Test func `accounts are listed a line each, in pages`() async throws {
    try await GateHome.withAda { home in
      for uid in ["~a", "~b", "~c"] { #expect(try await home.gate("users", "create", "--uid", uid).succeeded) }
      let all = try await home.gate("users", "list")
      #expect(all.output.split(separator: "\n").count == 4 && all.output.contains("\nanonymous (~a)\n"), "\(all)")
      let page = try await home.gate("users", "list", "--after", "~a", "--limit", "1", "--json")
      let json = try JSONObject(parsing: page.output.utf8)
      #expect(json["uid"] == "~b" && json["signInMethods"] == ["anonymous"], "\(page)")
      let end = try await home.gate("users", "list", "--after", "~c")
      #expect(end.succeeded && end.output == "", "\(end)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a deletion asks, and is done after yes only`() async throws {
    try await GateHome.withAda { home in
      let delete = ["users", "delete", GateHome.email]
      for answer in ["no", "", "y"] {
        let refused = try await Terminal.run(home, delete, typing: [answer])
        #expect(refused.status == 1 && refused.output.contains("nothing was done"), "\(refused)")
      }
      let none = try await home.shell("setsid -w gate --home \"$home\" users delete ada@example.com < /dev/null")
      #expect(none.status == 2 && none.errors.contains("--yes"), "\(none)")
      let done = try await Terminal.run(home, delete, typing: ["yes"])
      #expect(done.succeeded && done.output.contains("deleted: ada@example.com"), "\(done)")
      #expect(try await home.gate("users", "list").output == "")
    }
  }

  @Test func `what is refused is 1, also where a user's own command would be 3`() async throws {
    try await GateHome.withAda { home in
      for arguments in [
        ["show", "x"], ["delete", "x", "--yes"], ["disable", "x"], ["enable", "x"], ["revoke", "x"],
        ["update", "x", "--display-name", "X"],
        ["create", GateHome.email], ["create", "nonsense"], ["create", "--claims", #"{"iss":"x"}"#],
      ] {
        let refused = try await home.gate(["users"] + arguments, input: [])
        #expect(refused.status == 1 && refused.output == "", "\(arguments): \(refused)")
      }
      for arguments in [
        ["show"], ["update", "x"], ["create", "--password"], ["create", "x@y", "--claims", "[]"],
        ["list", "--limit", "0"],
        ["update", "x", "--email", ""], ["nonsense"],
      ] {
        let wrong = try await home.gate(["users"] + arguments, input: [])
        #expect(wrong.status == 2 && wrong.errors.contains("Usage:"), "\(arguments): \(wrong)")
      }
    }
    try await GateHome.withNone { home in
      let none = try await home.gate("users", "create", "ada@example.com")
      #expect(none.status == 1 && none.errors.contains("[providerUnavailable]"), "\(none)")
      #expect(!FileManager.default.fileExists(atPath: home.path))
    }
  }

  @Test func `a key is rotated, and tokens of the last one are good`() async throws {
    try await GateHome.withAda { home in
      let old = String(try await home.gate("token").output.dropLast())
      let listed = try JSONObject(parsing: try await home.gate("keys", "list", "--json").output.utf8)
      #expect(listed["keys"]?.array?.map { $0["state"] } == ["signing"])
      let rotated = try await home.gate("keys", "rotate")
      #expect(rotated.output.contains(" RS256 next, signs from "), "\(rotated)")
      let again = try await home.gate("keys", "rotate")
      #expect(again.status == 1 && again.errors.contains("is published already"), "\(again)")
      #expect(again.errors.contains("run: gate keys rotate --now"), "\(again)")
      let now = try JSONObject(parsing: try await home.gate("keys", "rotate", "--now", "--json").output.utf8)
      #expect(now["keys"]?.array?.map { $0["state"] } == ["retired", "signing"])
      #expect(
        now["keys"]?.array?.first?.object?.names == [
          "kid", "algorithm", "state", "created", "signsFrom", "verifiesUntil",
        ])
      let new = String(try await home.gate("token", "--force-refresh").output.dropLast())
      for token in [old, new] { #expect(try await home.gate("verify", token).succeeded) }
      #expect(try JSONObject(parsing: try await home.gate("jwks").output.utf8)["keys"]?.array?.count == 2)

      let stolen = try #require(now["keys"]?.array?.last?["kid"]?.string)
      let revoked = try await home.gate("keys", "revoke", "--json", "--", stolen)
      let left = try JSONObject(parsing: revoked.output.utf8)["keys"]?.array ?? []
      #expect(left.map { $0["state"] } == ["retired", "signing"] && !revoked.output.contains(stolen), "\(revoked)")
      #expect(try await home.gate("verify", new).status == 1)
      let fresh = String(try await home.gate("token", "--force-refresh").output.dropLast())
      for token in [old, fresh] { #expect(try await home.gate("verify", token).succeeded) }
      let none = try await home.gate("keys", "revoke", "--", stolen)
      #expect(none.status == 1 && none.errors.contains("gate keys list shows them"), "\(none)")
    }
  }
}
