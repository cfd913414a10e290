import Foundation
import GatehouseBase
import Testing

/// Accounts come from files and go to files through the built command.
struct UsersFileCommandTests {
  private static func write(_ rows: [String], to name: String, of home: GateHome) throws -> String {
    let path = home.folder + "/" + name
    try Data(#"{"users":[\#(rows.joined(separator: ",\n"))]}"#.utf8).write(to: URL(filePath: path))
    return path
  }

  @Test func `an export is imported into another home, where its users sign in`() async throws {
    try await GateHome.withAda { home in
      let file = home.folder + "/users.json"
      let exported = try await home.gate("users", "export", file)
      #expect(
        exported.output
          == "exported 1 account to \(file), with STANDARD_SCRYPT passwords; "
          + "their parameters are in \(file).hash-config\n",
        "\(exported)")
      let again = try await home.gate("users", "export", file)
      #expect(
        again.status == 1 && again.errors.contains("users.json is there already; --force replaces it"), "\(again)")
      let json = try await home.gate("users", "export", file, "--force", "--json")
      #expect(try JSONObject(parsing: json.output.utf8)["files"]?.array?.first?["accounts"]?.integer == 1, "\(json)")
      let other = home.folder + "/other"
      let grace = "sign-up grace@example.com --password-stdin"
      _ = try await home.shell("echo 'a long password' | gate --home \"$1\" \(grace)", other)
      let unknown = try await home.gate("users", "import", file, "--home", other)
      #expect(unknown.status == 1 && unknown.errors.contains("--hash-config"), "\(unknown)")
      let imported = try await home.gate(
        "users", "import", file, "--hash-config", file + ".hash-config", "--home", other)
      #expect(imported.succeeded && imported.output == "imported 1 account\n" && imported.errors == "", "\(imported)")
      let next = try await home.gate(
        "users", "import", file, "--hash-config", file + ".hash-config", "--home", other, "--json")
      #expect(
        next.output == #"{"imported":0,"alreadyThere":1,"corrected":0,"refused":0,"ignoredMembers":[]}"# + "\n",
        "\(next)")
      let signedIn = try await home.gate(
        "sign-in", GateHome.email, "--password-stdin", "--home", other, input: GateHome.password)
      #expect(signedIn.succeeded, "\(signedIn)")
    }
  }

  @Test func `refused rows are named, and the status says so`() async throws {
    try await GateHome.withAda { home in
      let file = try Self.write([#"{"localId":"x"}"#, #"{"localId":"y","email":"nonsense"}"#], to: "a.json", of: home)
      let text = try await home.gate("users", "import", file)
      #expect(text.status == 1 && text.output == "imported 1 account\n", "\(text)")
      #expect(
        text.errors == "gate: row 2 (y): this is not an e-mail address\ngate: 1 row could not be imported; "
          + "--refused FILE writes it to a file [invalidArgument]\n", "\(text)")
      let json = try await home.gate("users", "import", file, "--json", "--refused", home.folder + "/refused.json")
      #expect(
        json.output == """
          {"row":2,"uid":"y","reason":"this is not an e-mail address"}
          {"imported":0,"alreadyThere":1,"corrected":0,"refused":1,"ignoredMembers":[]}

          """, "\(json)")
      #expect(json.status == 1 && json.errors.contains("imported; it is in \(home.folder)/refused.json"), "\(json)")
      let own = try await home.gate("users", "import", file, "--refused", home.path + "/provider/refused.json")
      #expect(own.status == 1 && own.errors.contains("provider's folder"), "\(own)")
    }
  }

  @Test func `a reason is a sentence, without the protocol's words`() async throws {
    try await GateHome.withAda { home in
      let phone = #""mfaInfo":[{"phoneInfo":"+12025550123"}]"#
      let rows = [
        #"{"localId":"a","email":"ada@example.com"}"#, #"{"localId":"b","customAttributes":"[]"}"#,
        #"{"localId":"c","customAttributes":"{\"sub\":\"x\"}"}"#, #"{"localId":"d",\#(phone)}"#,
      ]
      let outcome = try await home.gate("users", "import", try Self.write(rows, to: "a.json", of: home))
      #expect(
        outcome.errors.split(separator: "\n").dropLast() == [
          "gate: row 1 (a): another account has this address", "gate: row 2 (b): the claims are not a JSON object",
          "gate: row 3 (c): the claim sub is the provider's own",
          "gate: row 4 (d): an account with a second factor needs an address",
        ], "\(outcome)")
    }
  }

  @Test func `an empty file is no JSON, and is what an export of no accounts to CSV writes`() async throws {
    try await GateHome.withAda { home in
      let json = try await home.shell(": > a.json; gate --home \"$home\" users import a.json")
      #expect(json.status == 1 && json.errors.contains("empty") && json.output.isEmpty, "\(json)")
      let csv = try await home.shell(": > a.csv; gate --home \"$home\" users import a.csv")
      #expect(csv.status == 0 && csv.output == "imported 0 accounts\n", "\(csv)")
    }
  }

  @Test func `a mistake in the parameters of hashes is told with the file's name`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        """
        echo '{"users":[]}' > a.json
        printf 'hash_config {\\n  algorithm: SCRYPT,\\n  base64_signer_key: a2V5,\\n  rounds: 8,\\n}\\n' > parameters
        gate --home "$home" users import a.json --hash-config parameters
        """)
      #expect(outcome.status == 1 && outcome.errors.hasPrefix("gate: parameters: "), "\(outcome)")
      #expect(outcome.errors.contains(": the line mem_cost is missing [invalidArgument]"), "\(outcome)")
    }
  }

  @Test func `an import into a home without a provider makes one, if the file can be read`() async throws {
    try await GateHome.withNone { home in
      let none = try await home.gate("users", "import", "/nowhere/a.json")
      #expect(none.status == 1, "\(none)")
      #expect(try await home.gate("users", "list").status == 1)
      let file = try await home.shell("printf '{\"users\":[{\"localId\":\"x\"}]}' > a.json && pwd")
      let path = file.output.dropLast() + "/a.json"
      let first = try await home.gate("users", "import", String(path))
      #expect(first.succeeded && first.output == "imported 1 account\n", "\(first)")
      #expect(first.errors.hasPrefix("gate: the home had no identity provider; "), "\(first)")
      let again = try await home.gate("users", "import", String(path))
      #expect(again.succeeded && again.errors.isEmpty, "\(again)")
    }
  }

  @Test func `of many refused rows a hundred are named to a person, and all to a program`() async throws {
    try await GateHome.withAda { home in
      let rows = (0..<150).map { #"{"localId":"u\#($0)","email":"nonsense"}"# }
      let file = try Self.write(rows, to: "odd.json", of: home)
      let text = try await home.gate("users", "import", file)
      let lines = text.errors.split(separator: "\n")
      #expect(lines.filter { $0.hasPrefix("gate: row ") }.count == 100 && lines.count == 102, "\(text)")
      #expect(text.errors.contains("--json names each"), "\(text)")
      let json = try await home.gate("users", "import", file, "--json")
      #expect(json.output.split(separator: "\n").count == 151, "\(json)")
    }
  }

  @Test func `an import that was killed goes on when it is run again, and loses no row`() async throws {
    try await GateHome.withAda { home in
      let rows = (0..<6000).map { #"{"localId":"u\#($0)","email":"user\#($0)@example.com","createdAt":"\#($0)"}"# }
      let file = try Self.write(rows, to: "many.json", of: home)
      // Killed as soon as the first batch is in the audit log, wherever the import is by then.
      let killed = try await home.shell(
        """
        gate --home "$home" users import "$1" & import=$!
        while kill -0 $import 2> /dev/null && ! grep -qs accountCreated "$home/provider/audit/administration.jsonl"
        do :; done
        kill -KILL $import; wait $import; echo $?
        """, file)
      #expect(killed.succeeded, "\(killed)")
      let again = try await home.gate("users", "import", file, "--json")
      let json = try JSONObject(parsing: again.output.utf8)
      #expect(again.succeeded && json["refused"] == 0, "\(again)")
      #expect((json["imported"]?.integer ?? 0) + (json["alreadyThere"]?.integer ?? 0) == 6000, "\(again)")
      let list = try await home.shell("gate --home \"$home\" users list | wc -l")
      #expect(list.output.contains("6001"), "\(list)")
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `the progress is shown on a terminal only`() async throws {
    try await GateHome.withAda { home in
      let rows = (0..<3000).map { #"{"localId":"u\#($0)"}"# }
      let file = try Self.write(rows, to: "many.json", of: home)
      let shown = try await Terminal.run(home, ["users", "import", file], typing: [])
      #expect(shown.output.contains(" %, ") && shown.output.contains("imported 3000 accounts"), "\(shown)")
    }
  }
}
