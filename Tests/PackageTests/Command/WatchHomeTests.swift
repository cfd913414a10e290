import Foundation
import Testing

/// What happens to the session and to the provider while `gate token --watch` follows them.
struct WatchHomeTests {
  @Test func `a sign-in of the same user elsewhere is followed`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token --on-change 'echo run >> runs'; cp token old
        sign_in $ada; gate token > new; truncate -s -1 new
        cmp -s old new && exit 8
        await 'cmp -s new token'
        await '[ $(wc -l < runs) = 2 ]'
        finish
        """)
      #expect(outcome.output == "status 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `a change of the password elsewhere is followed`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token old
        printf '%s\nanother long password' "$password" | gate password --password-stdin > changed || exit 8
        gate token > new; truncate -s -1 new
        cmp -s old new && exit 8
        await 'cmp -s new token'
        finish
        """)
      #expect(outcome.output == "status 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  @Test func `another user's token is never handed out`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token old
        printf %s "$password" | gate sign-up eve@example.com --password-stdin > signed-up || exit 98
        ended; cmp old token
        """)
      #expect(outcome.output == "status 3\n", "\(outcome)")
      #expect(outcome.errors.contains("another user signed in: eve@example.com"), "\(outcome)")
      #expect(outcome.errors.contains("ada@example.com") && outcome.errors.contains("start it again"), "\(outcome)")
    }
  }

  @Test func `a sign-out ends the watch long before the next refresh`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token
        gate sign-out > signed-out
        ended
        """)
      #expect(outcome.output == "status 3\n" && outcome.errors.contains("signed this user out"), "\(outcome)")
    }
  }

  @Test(
    .enabled("python3 is not installed") { await Python.isThere },
    arguments: [
      ("UPDATE account SET disabled = 1", "userDisabled"), ("DELETE FROM refreshToken", "invalidUserToken"),
      ("DELETE FROM account", "userNotFound"),
    ])
  func `a session that the provider ends is status 3`(change: String, code: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        gate token --force-refresh > old
        watch --file token
        python3 -c "$program" "$GATEHOUSE_HOME/provider/accounts.sqlite" || exit 8
        ended
        """, tokenLifetime: 12,
        environment: [
          "program": """
          import sqlite3, sys
          with sqlite3.connect(sys.argv[1]) as accounts: accounts.execute("\(change)")
          """
        ])
      #expect(outcome.output == "status 3\n", "\(outcome)")
      #expect(outcome.errors.hasSuffix("sign in again: gate sign-in EMAIL [\(code)]\n"), "\(outcome)")
    }
  }

  @Test func `a restore does not replace the provider of a watch`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        gate provider backup copy > backed-up || exit 8
        watch --file token
        gate provider restore copy --replace > restored 2> refusal; echo "restore $?"
        grep -q 'has .* open; end it, then try again' refusal || cat refusal
        finish; gate provider restore copy --replace > restored; echo "restore $?"
        """)
      #expect(outcome.output == "restore 1\nstatus 0\nrestore 0\n" && outcome.errors == "", "\(outcome)")
    }
  }

  /// The folder is replaced in one step, so the watch never finds it missing.
  @Test(.enabled("python3 is not installed") { await Python.isThere })
  func `another provider in the place of the first one is said, and used`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        gate token --force-refresh > first
        watch --file token; cp token old
        cp -a "$GATEHOUSE_HOME/provider" other
        python3 -c 'import ctypes, os, sys
        paths = [os.fsencode(path) for path in sys.argv[1:]]
        sys.exit(ctypes.CDLL(None).renameat2(-100, paths[0], -100, paths[1], 2))' other "$GATEHOUSE_HOME/provider" \
          || exit 8
        await 'says "another identity provider is in "'
        rm -r other
        await '! cmp -s old token'
        gate verify "$(cat token)" > verified && echo good; finish
        """, tokenLifetime: 12)
      #expect(outcome.output == "good\nstatus 0\n", "\(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    }
  }

  @Test func `a home that cannot be reached is said with the reason`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        watch --file token; cp token old
        mv "$GATEHOUSE_HOME" away; touch "$GATEHOUSE_HOME"
        await 'says "cannot be reached: Not a directory"'
        rm "$GATEHOUSE_HOME"; mv away "$GATEHOUSE_HOME"
        await 'says "is there again"'
        cmp old token; finish
        """)
      #expect(outcome.output == "status 0\n", "\(outcome)")
    }
  }

  @Test(arguments: ["provider", "", "provider/accounts.sqlite"])
  func `a provider that is moved away is said, and used again when it is back`(part: String) async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.beside(
        """
        gate token --force-refresh > first
        watch --file token; cp token old
        mv "$GATEHOUSE_HOME/\(part)" away
        await 'says "is gone; put it back"'
        kill -0 $pid || exit 8
        cmp old token; mv away "$GATEHOUSE_HOME/\(part)"
        await 'says "is there again"'
        await '! cmp -s old token'
        gate verify "$(cat token)" > verified && echo good; finish
        """, tokenLifetime: 12)
      #expect(outcome.output == "good\nstatus 0\n", "\(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
      #expect(outcome.errors.contains("the token at hand is good until 20"), "\(outcome)")
    }
  }
}
