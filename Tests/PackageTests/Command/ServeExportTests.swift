import Foundation
import GatehouseBase
import Testing

/// `gate serve --emulator --import DIR --export-on-exit [DIR]`.
struct ServeExportTests {
  private static let seed = """
    seed() {
      mkdir -p "$1"; cat > "$1/accounts.json"; echo '{"signIn":{"allowDuplicateEmails":false}}' > "$1/config.json"
    } << 'END'
    {"kind":"identitytoolkit#DownloadAccountResponse","users":[
    {"localId":"ada","email":"ada@example.com","passwordHash":"fakeHash:salt=s:password=secret1","salt":"s"},
    {"localId":"odd","email":"nonsense"}]}
    END
    password() {
      curl -sS -H 'Content-Type: application/json' -d '{"email":"'$1'@example.com","password":"secret1"}' \
        "$address/v1/accounts:$2?key=k" | grep -oE '"localId":"[a-z]+"|"email":"[a-z@.]+"|[A-Z]+_[A-Z_]+' | head -n 1
    }
    stop() { kill -TERM $pid; wait $pid; echo "status $?"; rm ready; }

    """

  @Test(
    .enabled("curl is not installed") { FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") },
    arguments: ["export/auth_export", "export"])
  func `an emulator begins with an export, and ends with one`(folder: String) async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        ServeCommandTests.tools + Self.seed + """
          seed \(folder)
          serve --emulator; password bob signUp; stop
          serve --emulator --import export --export-on-exit; grep -c 'account odd was left out' errors
          password ada signInWithPassword; password bob signInWithPassword; password cy signUp; stop
          serve --emulator --import export --export-on-exit other/deep
          password ada signInWithPassword; password cy signInWithPassword; stop
          find export other -type f | sort; stat -c %a other/deep/auth_export/accounts.json
          grep -o '"path":"[^"]*"' other/deep/firebase-export-metadata.json
          grep -o 'fakeHash:salt=[^:]*:password=secret1' other/deep/auth_export/accounts.json | wc -l
          """)
      let inner = folder == "export" ? "export" : "export/auth_export"
      let metadata = folder == "export" ? [] : ["export/firebase-export-metadata.json"]
      #expect(
        outcome.output.split(separator: "\n").map { String($0) } == [
          #""email":"bob@example.com""#, "status 0", "1", #""localId":"ada""#, "EMAIL_NOT_FOUND",
          #""email":"cy@example.com""#, "status 0", #""localId":"ada""#, #""email":"cy@example.com""#, "status 0",
          "\(inner)/accounts.json", "\(inner)/config.json",
        ] + metadata + [
          "other/deep/auth_export/accounts.json", "other/deep/auth_export/config.json",
          "other/deep/firebase-export-metadata.json", "600", #""path":"auth_export""#, "2",
        ], "\(outcome)")
    }
  }

  @Test func `a folder without accounts, and one that names another, are refused`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        begin() { gate serve --home "$home" --port 0 --emulator --exec "$@" -- true 2> errors; echo "status $?"; }
        begin; mkdir empty bad out good
        echo '{"users":[]}' > good/accounts.json; begin --import good
        echo '{"users":[{"localId":"ada"' > bad/accounts.json
        echo '{"auth":{"path":"../good"}}' > out/firebase-export-metadata.json
        for folder in empty bad out nowhere; do begin --import $folder; grep -c "$folder" errors; done
        begin --export-on-exit; begin --import ''; begin --export-on-exit=
        gate serve --home "$home" --port 0 --import bad; echo "status $?"
        begin --export-on-exit bad/accounts.json/x
        """)
      #expect(
        outcome.output.split(separator: "\n") == [
          "status 0", "status 0", "status 1", "1", "status 1", "1", "status 1", "1", "status 1", "1", "status 2",
          "status 2",
          "status 2", "status 2", "status 1",
        ], "\(outcome)")
    }
  }

  /// A terminal and `npm` send a signal each, and a person presses Ctrl-C again.
  @Test func `signals that come again do not cost the export`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        ServeCommandTests.tools + Self.seed + """
          serve --emulator --export-on-exit twice; password ada signUp
          kill -TERM $pid; kill -TERM $pid; kill -TERM $pid; wait $pid; echo "status $?"; rm ready
          grep -c ada@example.com twice/auth_export/accounts.json
          cat > child << 'END'
          #!/bin/sh
          trap 'touch told' TERM
          touch started
          until [ -e end ]; do sleep 0.01; done
          END
          chmod +x child
          gate serve --home "$home" --port 0 --emulator --export-on-exit late --exec -- ./child 2> errors &
          pid=$!
          await '[ -e started ]'; kill -TERM $pid; await '[ -e told ]'; sleep 0.15; kill -TERM $pid
          await "grep -q 'being exported to late' errors"
          touch end; wait $pid; echo "status $?"
          ls late/auth_export
          rm started end
          gate serve --home "$home" --port 0 --emulator --export-on-exit never --exec -- ./child 2> errors &
          pid=$!
          await '[ -e started ]'
          while kill -TERM $pid 2> /dev/null; do sleep 0.15; done; wait $pid; echo "status $?"
          grep -c 'not exported to never' errors; touch end; ls never 2> /dev/null
          """)
      #expect(
        outcome.output.split(separator: "\n").map { String($0) } == [
          #""email":"ada@example.com""#, "status 0", "1", "status 0", "accounts.json", "config.json", "status 143", "1",
        ], "\(outcome)")
    }
  }

  /// A folder of Firebase's emulators has the data of others as well.
  @Test func `an export keeps what others have exported into the folder`() async throws {
    try await GateHome.withNone { home in
      let outcome = try await home.shell(
        """
        mkdir export
        metadata=export/firebase-export-metadata.json
        echo '{"version":"13.0.0","firestore":{"path":"f"},"auth":{"path":"accounts"}}' > $metadata
        gate serve --home "$home" --port 0 --emulator --export-on-exit export --exec -- true || echo failed
        cat $metadata; cat export/accounts/config.json
        """)
      let lines = try outcome.output.split(separator: "\n").map { try JSONObject(parsing: Array($0.utf8)) }
      #expect(lines.count == 2, "\(outcome)")
      #expect(lines.first?.names == ["version", "firestore", "auth"] && lines.first?["version"]?.string == "13.0.0")
      #expect(lines.first?["auth"]?["path"]?.string == "accounts" && lines.first?["firestore"] == ["path": "f"])
      #expect(lines.last?["signIn"]?["allowDuplicateEmails"]?.bool == false)
    }
  }
}
