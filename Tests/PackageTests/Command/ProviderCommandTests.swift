import Foundation
import Testing

/// The home's provider, backed up and restored, seen through the built command.
struct ProviderCommandTests {
  private static let atRest = ["accounts.sqlite", "audit", "in-use.lock", "keys", "opening.lock"]

  @Test func `a provider is backed up and restored`() async throws {
    try await GateHome.withAda { home in
      let file = home.folder + "/ada.tar"
      let made = try await home.gate("provider", "backup", file)
      #expect(made.succeeded && made.output == "backed up 1 account and 1 key to \(file)\n", "\(made)")
      #expect(try home.mode(of: file) == 0o600)
      let again = try await home.gate("provider", "backup", file)
      #expect(again.status == 1 && again.errors.contains("--force replaces it [invalidArgument]"), "\(again)")
      let forced = try await home.gate("provider", "backup", file, "--force", "--json")
      #expect(forced.output.hasPrefix("{\"file\":\"\(file)\",\"accounts\":1,\"keys\":1,\"bytes\":"), "\(forced)")

      let taken = try await home.gate("provider", "restore", file)
      #expect(taken.status == 1 && taken.errors.contains("--replace"), "\(taken)")
      #expect(taken.errors.contains("[providerExists]"), "\(taken)")
      let replaced = try await home.gate("provider", "restore", file, "--replace")
      let kept = home.path + "/provider.replaced-1"
      #expect(replaced.output.contains("restored 1 account and 1 key") && replaced.output.contains(kept), "\(replaced)")
      let verified = try await home.shell("gate token --force-refresh | gate verify", environment: home.asDefault)
      #expect(verified.succeeded && verified.output.contains(GateHome.email), "\(verified)")

      // In a home of its own, the provider is the same one.
      let other = home.folder + "/other"
      let restored = try await home.shell("gate --home other provider restore \"$1\" --json", file)
      #expect(restored.output == "{\"accounts\":1,\"keys\":1}\n", "\(restored)")
      let keys = try await home.shell("gate jwks --home other; gate jwks --home \"$home\"")
      #expect(Set(keys.output.split(separator: "\n")).count == 1, "\(keys)")
      #expect(try home.mode(of: other) == 0o700)
    }
  }

  @Test func `a backup that is none is refused, and so is one of no provider`() async throws {
    try await GateHome.withNone { home in
      let none = try await home.gate("provider", "backup", home.folder + "/file")
      #expect(none.status == 1 && none.errors.contains("[providerUnavailable]"), "\(none)")
      try Data("not a backup".utf8).write(to: URL(filePath: home.folder + "/file"))
      let bad = try await home.gate("provider", "restore", home.folder + "/file")
      #expect(bad.status == 1 && bad.errors.contains("[backupInvalid]"), "\(bad)")
      #expect(!FileManager.default.fileExists(atPath: home.path))
    }
  }

  @Test func `a home that others can write to is not restored to`() async throws {
    try await GateHome.withAda { home in
      let file = home.folder + "/ada.tar"
      #expect(try await home.gate("provider", "backup", file).succeeded)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: home.path)
      let outcome = try await home.gate("provider", "restore", file, "--replace")
      #expect(outcome.status == 1 && outcome.errors.contains("[providerUnsafe]"), "\(outcome)")
    }
  }

  @Test func `after a command the provider's folder can be copied as it is`() async throws {
    try await GateHome.withAda { home in
      #expect(try home.names(in: "provider") == Self.atRest)
      let token = try await home.gate("token", "--force-refresh")
      let commands = [
        ["jwks"], ["verify", String(token.output.dropLast())], ["verify", "a.b.c"], ["sign-out"],
        ["sign-in", GateHome.email, "--password-stdin"], ["provider", "backup", home.folder + "/ada.tar"],
      ]
      for arguments in [["whoami"]] + commands {
        _ = try await home.gate(arguments, input: Array("wrong horse".utf8))
        #expect(try home.names(in: "provider") == Self.atRest, "\(arguments)")
      }
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a provider that lost its accounts ends no session and makes no key`() async throws {
    try await GateHome.withAda { home in
      // What a copy of `accounts.sqlite` holds while all else is in its -wal file.
      let emptied = try await home.shell(
        "rm \"$home\"/provider/accounts.sqlite*; umask 077; python3 -c \"$1\" \"$home/provider/accounts.sqlite\"",
        """
        import sqlite3, sys
        with sqlite3.connect(sys.argv[1]) as accounts:
          accounts.execute("PRAGMA journal_mode = WAL")
        """)
      #expect(emptied.succeeded, "\(emptied)")
      let keys = try home.names(in: "provider/keys")
      for arguments in [["token", "--force-refresh"], ["sign-in", GateHome.email, "--password-stdin"], ["jwks"]] {
        let outcome = try await home.gate(arguments, input: Array(GateHome.password.utf8))
        #expect(outcome.status == 1 && outcome.errors.contains("[providerDamaged]"), "\(outcome)")
      }
      #expect(try await home.gate("whoami").succeeded)
      #expect(try home.names(in: "provider/keys") == keys)
    }
  }

  @Test(.enabled("python3 is not installed") { await Terminal.isThere })
  func `a provider from before the first version is refused, and stays as it is`() async throws {
    try await GateHome.withAda { home in
      let aged = try await home.shell(
        "python3 -c \"$1\" \"$home/provider/accounts.sqlite\"; sha256sum \"$home/provider/accounts.sqlite\"",
        """
        import sqlite3, sys
        with sqlite3.connect(sys.argv[1]) as accounts:
          accounts.execute("DELETE FROM grdb_migrations")
          accounts.execute("INSERT INTO grdb_migrations VALUES ('1 accounts, sessions, keys')")
        """)
      #expect(aged.succeeded, "\(aged)")
      for arguments in [["sign-in", GateHome.email, "--password-stdin"], ["token", "--force-refresh"], ["jwks"]] {
        let outcome = try await home.gate(arguments, input: Array(GateHome.password.utf8))
        #expect(outcome.status == 1 && outcome.errors.contains("[providerTooOld]"), "\(outcome)")
        #expect(outcome.errors.contains("from before its first version"), "\(outcome)")
      }
      let after = try await home.shell("sha256sum \"$home/provider/accounts.sqlite\"")
      #expect(after.output == aged.output)
    }
  }

  /// As where the file system of the provider's folder is not mounted.
  @Test func `an empty folder is no provider, and only a sign-up begins one in it`() async throws {
    try await GateHome.withAda { home in
      let token = String(try await home.gate("token").output.dropLast())
      let moved = try await home.shell(
        "cd \"$home\"; mv provider mounted; mkdir -m 700 provider; cp session.json ../session")
      #expect(moved.succeeded, "\(moved)")
      let commands = [
        ["token", "--force-refresh"], ["jwks"], ["verify", token],
        ["sign-in", GateHome.email, "--password-stdin"], ["provider", "backup", home.folder + "/none.tar"],
      ]
      for arguments in commands {
        let outcome = try await home.gate(arguments, input: Array(GateHome.password.utf8))
        #expect(outcome.status == 1 && outcome.errors.contains("[providerUnavailable]"), "\(arguments): \(outcome)")
        #expect(outcome.errors.contains("\(home.path)/provider has no identity provider"), "\(outcome)")
        #expect(try home.names(in: "provider") == [], "\(arguments)")
      }
      #expect(try await home.gate("whoami").succeeded)
      #expect(try home.names(in: "provider") == [])
      #expect(try await home.shell("cmp \"$home/session.json\" session").succeeded)
      #expect(try home.names(in: "..").contains("none.tar") == false)

      let mounted = try await home.shell("cd \"$home\"; rmdir provider; mv mounted provider")
      #expect(mounted.succeeded, "\(mounted)")
      #expect(try await home.gate("token", "--force-refresh").succeeded)

      let emptied = try await home.shell("rm -r \"$home/provider\"; mkdir -m 700 \"$home/provider\"")
      #expect(emptied.succeeded, "\(emptied)")
      let outcome = try await home.gate("sign-up", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(outcome.succeeded, "\(outcome)")
    }
  }

  @Test func `a backup replaces no file of the provider, of the session, and no pipe or link`() async throws {
    try await GateHome.withAda { home in
      let made = try await home.shell(
        """
        cd "$home"; mkfifo ../pipe; ln -s "$home/session.json" ../link; ln -s "$home" ../way; mkdir -m 700 old
        cp provider/accounts.sqlite old; cat session.json provider/*.lock provider/keys/* old/* | sha256sum > ../before
        """)
      #expect(made.succeeded, "\(made)")
      let key = try #require(try home.names(in: "provider/keys").first)
      let inHome = ["session.json", "session.json.lock", "session.json.damaged-1", "session.json.new"]
      let inProvider = ["accounts.sqlite", "opening.lock", "in-use.lock", "new", "keys/\(key)", "keys/new"]
      let inFolder = ["pipe", "link", "way/session.json", "way/provider/accounts.sqlite", "home/old/accounts.sqlite"]
      let files =
        inHome.map { home.path + "/" + $0 } + inProvider.map { home.path + "/provider/" + $0 }
        + inFolder.map { home.folder + "/" + $0 } + [home.path + "/provider", home.path + "/provider/."]
      for file in files {
        let forced = try await home.gate("provider", "backup", file, "--force")
        #expect(forced.status == 1 && forced.errors.contains("[invalidArgument]"), "\(file): \(forced)")
        let asked = try await home.gate("provider", "backup", file)
        #expect(asked.status == 1 && asked.errors.contains("[invalidArgument]"), "\(file): \(asked)")
      }
      let same = try await home.shell(
        "cd \"$home\"; cat session.json provider/*.lock provider/keys/* old/* | sha256sum | cmp - ../before && test -p ../pipe -a -L ../link"
      )
      #expect(same.succeeded, "\(same)")
    }
  }
}

extension GateHome {
  /// The home as the one that commands use by default.
  fileprivate var asDefault: [String: String] { ["GATEHOUSE_HOME": path] }
}
