import Foundation
import GatehouseBase
import Testing

/// Users change their own accounts with the built command: anonymous sign-ins, links, profiles, saved users.
struct OwnAccountCommandTests {
  @Test func `an anonymous user keeps the account with an address, and signs in with it`() async throws {
    try await GateHome.withNone { home in
      let made = try await home.gate("sign-up", "--anonymous", "--json")
      let uid = try #require(try JSONObject(parsing: made.output.utf8)["uid"]?.string)
      #expect(made.succeeded && made.output.contains(#""anonymous":true"#), "\(made)")
      let same = try await home.gate("sign-up", "--anonymous")
      #expect(same.output == "signed in: anonymous (\(uid))\n", "\(same)")
      let linked = try await home.gate("link", "grace@example.com", "--password-stdin", input: "a long password")
      #expect(linked.output == "linked a password to grace@example.com (\(uid))\n", "\(linked)")
      let twice = try await home.gate("link", "grace@example.com", "--password-stdin", input: "a long password")
      #expect(twice.status == 1, "\(twice)")
      _ = try await home.gate("sign-out")
      let back = try await home.gate("sign-in", "grace@example.com", "--password-stdin", input: "a long password")
      #expect(back.output == "signed in: grace@example.com (\(uid))\n", "\(back)")
      for wrong in [["sign-up"], ["sign-up", "a@example.com", "--anonymous"], ["link"], ["unlink"], ["profile"]] {
        #expect(try await home.gate(wrong, input: []).status == 2, "\(wrong)")
      }
    }
  }

  @Test func `a user signs in by the link of a message, once`() async throws {
    try await GateHome.withAda { home in
      let message = try await home.gate("sign-in-link", "grace@example.com", "--json")
      let link = try #require(try JSONObject(parsing: message.output.utf8)["link"]?.string)
      let text = try await home.gate("sign-in-link", GateHome.email)
      #expect(
        text.output.hasPrefix("Hand this on; gate sign-in \(GateHome.email) --email-link takes the link.\n"), "\(text)")
      let refused = try await home.gate("apply-code", "--code-stdin", input: link)
      #expect(
        refused.status == 1 && refused.errors.contains("gate sign-in EMAIL --email-link"), "\(refused)")
      let other = try await home.gate("sign-in", "other@example.com", "--link-stdin", input: link)
      #expect(other.errors == "gate: the link was sent to another address [invalidEmail]\n", "\(other)")
      let signedIn = try await home.gate("sign-in", "grace@example.com", "--link-stdin", input: "<\(link)>\n")
      #expect(signedIn.output.hasPrefix("signed in: grace@example.com ("), "\(signedIn)")
      let again = try await home.gate("sign-in", "grace@example.com", "--link-stdin", input: link)
      #expect(again.status == 1, "\(again)")
      let both = try await home.gate(
        "sign-in", "grace@example.com", "--email-link", "--password-stdin", input: "a long password")
      #expect(both.status == 2, "\(both)")
      let none = try await home.gate("sign-in", "grace@example.com", "--link-stdin")
      #expect(none.status == 1 && none.errors.contains("standard input has no link"), "\(none)")
    }
  }

  @Test func `a user changes the name and the picture, and takes both away`() async throws {
    try await GateHome.withAda { home in
      let changed = try await home.gate(
        "profile", "--display-name", "Ada L.", "--photo-url", "https://example.com/a.png", "--json")
      #expect(
        changed.output.contains(#""displayName":"Ada L.","photoURL":"https://example.com/a.png""#), "\(changed)")
      let shown = try await home.gate("whoami", "--json")
      #expect(shown.output == changed.output, "\(shown)")
      let less = try await home.gate("profile", "--display-name", "", "--json")
      #expect(!less.output.contains("displayName") && less.output.contains("photoURL"), "\(less)")
      for wrong in ["me.png", "javascript:alert(1)"] {
        #expect(try await home.gate("profile", "--photo-url", wrong).status == 2)
      }
      _ = try await home.gate("sign-out")
      #expect(try await home.gate("profile", "--display-name", "X").status == 3)
    }
  }

  @Test func `a way to sign in is taken away, and one that is not there is refused`() async throws {
    try await GateHome.withAda { home in
      let signIn = ["sign-in", GateHome.email, "--password-stdin"]
      #expect(try await home.gate(signIn, input: Array(GateHome.password.utf8)).succeeded)
      let missing = try await home.gate("unlink", "google.com", "--json")
      #expect(missing.status == 1 && missing.output.contains("noSuchProvider"), "\(missing)")
      let unlinked = try await home.gate("unlink", "password", "--json")
      #expect(unlinked.succeeded && unlinked.output.contains(#""providers":[]"#), "\(unlinked)")
      let back = try await home.gate("link", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(back.succeeded, "\(back)")
      let told = try await home.gate("unlink", "password")
      #expect(told.output.hasSuffix("; no way to sign in is left once this session ends: gate link adds one\n"))
      let token = try await home.gate("link", "--provider", "google.com", input: "no token")
      #expect(token.status == 1, "\(token)")
      #expect(try await home.gate(signIn, input: Array(GateHome.password.utf8)).status == 1)
    }
  }

  @Test func `saved users are listed, switched and forgotten`() async throws {
    try await GateHome.withAda { home in
      let ada = try #require(
        try JSONObject(parsing: try await home.gate("whoami", "--json").output.utf8)["uid"]?.string)
      _ = try await home.gate("users", "create", "bob@example.com", "--password-stdin", input: "a long password")
      let kept = try await home.gate(
        "sign-in", "bob@example.com", "--password-stdin", "--keep", input: "a long password")
      #expect(kept.succeeded, "\(kept)")
      let list = try await home.gate("saved-users", "list")
      #expect(
        list.output.hasPrefix("bob@example.com (")
          && list.output.contains("), signed in\n\(GateHome.email) (\(ada))\n"),
        "\(list)")
      // A refresh of the current user keeps the others.
      #expect(try await home.gate("token", "--force-refresh").succeeded)
      let switched = try await home.gate("saved-users", "switch", GateHome.email)
      #expect(switched.output == "switched to \(GateHome.email) (\(ada))\n", "\(switched)")
      #expect(try await home.gate("token", "--force-refresh").succeeded)
      let current = try await home.gate("saved-users", "forget", ada)
      #expect(current.status == 1 && current.errors.contains("gate sign-out"), "\(current)")
      // A sign-in keeps the user whom it replaces, in a home that keeps users.
      _ = try await home.gate("users", "create", "cy@example.com", "--password-stdin", input: "a long password")
      let third = try await home.gate("sign-in", "cy@example.com", "--password-stdin", input: "a long password")
      #expect(third.succeeded, "\(third)")
      let json = try await home.gate("saved-users", "list", "--json")
      let saved = try JSONObject(parsing: json.output.utf8)["savedUsers"]?.array ?? []
      #expect(
        saved.compactMap { $0["email"]?.string } == ["cy@example.com", GateHome.email, "bob@example.com"], "\(json)")
      #expect(saved.map { $0["current"]?.bool } == [true, false, false])
      // A sign-out ends the current user's session only.
      #expect(try await home.gate("sign-out").succeeded)
      #expect(try await home.gate("whoami").status == 3)
      let forgotten = try await home.gate("saved-users", "forget", "bob@example.com", "--json")
      #expect(forgotten.output.hasPrefix(#"{"forgotten":true,"uid":""#), "\(forgotten)")
      #expect(try await home.gate("saved-users", "switch", "bob@example.com").status == 1)
      #expect(try await home.gate("saved-users", "switch", ada).succeeded)
      #expect(try await home.gate("whoami").output == "\(GateHome.email) (\(ada))\n")
    }
  }

  @Test func `without --keep a sign-in signs out the current user`() async throws {
    try await GateHome.withAda { home in
      #expect(try await home.gate("sign-up", "bob@example.com", "--password-stdin", input: "a long password").succeeded)
      let list = try await home.gate("saved-users", "list", "--json")
      #expect(try JSONObject(parsing: list.output.utf8)["savedUsers"]?.array?.count == 1, "\(list)")
      #expect(try await home.gate("sign-out").succeeded)
      #expect(try await home.gate("saved-users", "list").output == "no user is saved\n")
    }
  }

  @Test func `--keep keeps the session of another backend, and saved-users switches back to it`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        ServeCommandTests.tools.replacing("--home \"$home\"", with: "--home server") + """
          serve --emulator
          at() { gate "$@" --home "$home"; }
          printf 'correct horse' | at sign-up bob@example.com --password-stdin --keep --backend "$address" > /dev/null
          at saved-users list --backend home
          at whoami --backend home 2> /dev/null || echo "status $?"
          at saved-users switch \(GateHome.email) --backend home
          at token --force-refresh > /dev/null && at saved-users list --backend "$address"
          printf 'correct horse' | at sign-in bob@example.com --password-stdin --backend "$address" > /dev/null
          at saved-users list --backend home
          """)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 5, "\(outcome)")
      let ada = "\(GateHome.email) ("
      #expect(lines.first?.hasPrefix(ada) == true && lines.first?.hasSuffix("signed in") == false, "\(outcome)")
      #expect(lines.dropFirst().first == "status 1")
      #expect(lines.dropFirst(2).first?.hasPrefix("switched to \(ada)") == true, "\(outcome)")
      // A switch keeps the user who was signed in. A plain sign-in elsewhere erases a home's only session.
      #expect(lines.dropFirst(3).first?.hasPrefix("bob@example.com (") == true, "\(outcome)")
      #expect(lines.last == "no user is saved", "\(outcome)")
    }
  }

  @Test func `a second password is refused before it is asked for, and so is the address that the user has`()
    async throws
  {
    try await GateHome.withAda { home in
      for (arguments, advice) in [
        (["link", "other@example.com"], "gate password changes it"),
        (["change-email", GateHome.email], "is the account's address already"),
      ] {
        let outcome = try await Terminal.run(home, arguments, typing: [])
        #expect(outcome.status == 1 && outcome.output.contains(advice), "\(outcome)")
        #expect(!outcome.output.contains("Password"), "\(outcome)")
      }
    }
  }

  @Test func `a switch after a sign-out makes the server's session the home's again`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        ServeCommandTests.tools.replacing("--home \"$home\"", with: "--home server") + """
          serve --emulator
          as() { who=$1; shift; printf 'correct horse' | gate "$@" $who@example.com --password-stdin \\
            --home "$home" --backend "$address" --api-key any > /dev/null; }
          as ada sign-up && as bob sign-up --keep && gate sign-out --home "$home" > /dev/null || exit 98
          gate saved-users switch ada@example.com --home "$home" --backend "$address" --api-key any
          gate whoami --home "$home"
          """)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].hasPrefix("switched to ada@example.com"), "\(outcome)")
      #expect(lines.last?.hasPrefix("ada@example.com") == true, "\(outcome)")
    }
  }
}
