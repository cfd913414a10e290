import Foundation
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem
import Testing

/// The daemon's settings.
struct SettingsTests {
  @Test func `a file has room for four thousand accounts`() throws {
    let accounts = (1...4096).map { #""a\#($0)":{"tokenFile":"/run/\#($0)"}"# }.joined(separator: ",")
    let settings = try AgentSettings(parsing: Array(#"{"accounts":{\#(accounts)}}"#.utf8), name: "agent.json")
    #expect(settings.accounts.count == 4096)
  }

  @Test func `all settings are read`() throws {
    let text = """
      {
        "fetchesPerSecond": 5,
        "takeoverSeconds": 90,
        "encryptionKeyFile": ["/new", "/old"],
        "onNeedsPerson": "notify",
        "clients": {
            "mail": {"user": 1000, "group": 4, "executable": "/usr/bin/mutt", "accounts": ["mail", "deploy"]},
            "all": {"group": 100, "accounts": "*", "refresh": true}, "figures": {"user": 9, "accounts": [], "metrics": true}
          },
        "accounts": {
          "mail": {"home": "/home/ada"},
          "deploy": {"serviceAccountFile": "/etc/deploy.json", "scopes": ["a", "b"]},
          "plain": {"serviceAccountFile": "/etc/plain.json"},
          "sidecar": {"tokenFile": "/run/token", "lifetimeSeconds": 600},
          "other": {"tokenFile": "/run/other"}
        },
        "files": {"mail": {"path": "/run/mail", "onChange": "true"}, "plain": {"path": "/run/plain"}}
      }
      """
    let settings = try AgentSettings(parsing: Array(text.utf8), name: "agent.json")
    #expect(settings.fetchesPerSecond == 5 && settings.onNeedsPerson == "notify")
    #expect(settings.takeoverSeconds == 90 && AgentSettings().takeoverSeconds == 60)
    #expect(settings.encryptionKeyFiles == ["/new", "/old"])
    #expect(
      try AgentSettings(parsing: Array(#"{"encryptionKeyFile": "/new"}"#.utf8), name: "").encryptionKeyFiles == ["/new"]
    )
    #expect(
      settings.clients == [
        ClientRule(
          "mail", user: 1000, group: 4, executable: "/usr/bin/mutt", accounts: .named(["mail", "deploy"])),
        ClientRule("all", group: 100, accounts: .all, refresh: true),
        ClientRule("figures", user: 9, accounts: .named([]), metrics: true),
      ])
    #expect(
      settings.accounts == [
        "mail": .home("/home/ada"), "deploy": .serviceAccount(file: "/etc/deploy.json", scopes: ["a", "b"]),
        "plain": .serviceAccount(file: "/etc/plain.json", scopes: []),
        "sidecar": .tokenFile("/run/token", lifetime: .seconds(600)),
        "other": .tokenFile("/run/other", lifetime: .seconds(300)),
      ])
    #expect(settings.files["mail"].map { $0.path == "/run/mail" && $0.onChange == "true" } == true)
    #expect(settings.files["plain"].map { $0.path == "/run/plain" && $0.onChange == nil } == true)
    for account in settings.accounts.values {
      #expect(try AccountSettings(parsing: account.json.serialized(), name: "") == account)
    }
    #expect(try AgentSettings(parsing: Array("{}".utf8), name: "") == AgentSettings())
  }

  @Test(arguments: [
    ("{\n  \"fetchesPerSecond\": 0}", "f, line 2, column 3: fetchesPerSecond must be a whole number from 1 to 10000"),
    ("{\"fetchesPerSecond\": 1.5}", "f, line 1, column 2: fetchesPerSecond must be a whole number"),
    ("{\"fetchesPersecond\": 1}", "fetchesPersecond is no setting; did you mean fetchesPerSecond?"),
    (
      "{\"x\": 1}",
      """
      x is no setting; there are fetchesPerSecond, takeoverSeconds, encryptionKeyFile, onNeedsPerson, clients, \
      accounts, files
      """
    ),
    (
      "{\n\"accounts\": {\"../x\": {\"home\": \"/a\"}}}",
      "f, line 2, column 14: accounts.../x cannot be an account; take 1 to 64 of a-z"
    ),
    ("{\"files\": {\"x y\": {\"path\": \"/a\"}}}", "f, line 1, column 12: files.x y cannot be an account; take"),
    ("{\"encryptionKeyFile\": \"key\"}", "column 2: encryptionKeyFile must be a path that begins with /"),
    ("{\"encryptionKeyFile\": []}", "encryptionKeyFile must be a path that begins with /, or a list of such paths"),
    ("{\"encryptionKeyFile\": [\"/a\", 1]}", "encryptionKeyFile must be a path that begins with /, or a list"),
    ("{\"encryptionKeyFile\": {}}", "encryptionKeyFile must be a path that begins with /, or a list"),
    ("{\"takeoverSeconds\": 0}", "takeoverSeconds must be a whole number from 1 to 86400"),
    ("{\"onNeedsPerson\": \"\"}", "onNeedsPerson must be a text"),
    ("{\"onNeedsPerson\": \"\\u0000\"}", "onNeedsPerson must be a text"),
    ("{\"clients\": []}", "clients must be an object"), ("{\"clients\": {\"a\": 1}}", "clients.a must be an object"),
    ("{\"clients\": {\"a\": {}}}", "line 1, column 14: clients.a names no program"),
    ("{\"clients\": {\"a\": {\"accounts\": \"*\"}}}", "line 1, column 14: clients.a names no program"),
    (
      "{\"clients\": {\"a\": {\"user\": 1}}}",
      """
      line 1, column 14: clients.a names no accounts; add "accounts": ["NAME"] with the accounts that its programs may \
      have, or "accounts": "*" for all
      """
    ),
    ("{\"clients\": {\"a\": {\"user\": 1, \"accounts\": \"mail\"}}}", "a.accounts must be a list of accounts' names"),
    ("{\"clients\": {\"a\": {\"user\": 1, \"accounts\": [1]}}}", "a.accounts must be a list of accounts' names"),
    ("{\"clients\": {\"a\": {\"user\": 1, \"accounts\": [\"*\"]}}}", "write \"accounts\": \"*\" for all accounts"),
    ("{\"clients\": {\"a\": {\"user\": 1, \"accounts\": [\"../x\"]}}}", "has ../x, which cannot be an account; "),
    ("{\"clients\": {\"a\": {\"user\": 1, \"refresh\": 1}}}", "clients.a names no accounts"),
    ("{\"clients\": {\"a\": {\"user\": 1, \"accounts\": [], \"refresh\": 1}}}", "a.refresh must be true or false"),
    ("{\"clients\": {\"a\": {\"user\": 1, \"accounts\": [], \"metrics\": \"\"}}}", "a.metrics must be true or false"),
    ("{\"clients\": {\"a\": {\"user\": -1}}}", "clients.a.user must be a whole number from 0 to 4294967294"),
    ("{\"clients\": {\"a\": {\"user\": \"ada\"}}}", "clients.a.user must be a whole number"),
    ("{\"clients\": {\"a\": {\"executable\": \"mutt\"}}}", "clients.a.executable must be a path that begins with /"),
    ("{\"clients\": {\"a\": {\"uid\": 1}}}", "clients.a.uid is no setting"),
    ("{\"accounts\": {\"a\": {}}}", "accounts.a needs exactly one of home, serviceAccountFile, tokenFile"),
    ("{\"accounts\": {\"a\": {\"home\": \"/a\", \"tokenFile\": \"/b\"}}}", "accounts.a needs exactly one of"),
    ("{\"accounts\": {\"a\": {\"home\": \"a\"}}}", "accounts.a.home must be a path that begins with /"),
    ("{\"accounts\": {\"a\": {\"home\": {}}}}", "accounts.a.home must be a text"),
    ("{\"accounts\": {\"a\": {\"home\": \"/a\", \"scopes\": [\"b\"]}}}", "accounts.a has scopes"),
    ("{\"accounts\": {\"a\": {\"serviceAccountFile\": \"/a\", \"scopes\": []}}}", "a.scopes must be a list of texts"),
    ("{\"accounts\": {\"a\": {\"serviceAccountFile\": \"/a\", \"scopes\": [1]}}}", "a.scopes must be a list of texts"),
    ("{\"accounts\": {\"a\": {\"home\": \"/a\", \"lifetimeSeconds\": 1}}}", "accounts.a has lifetimeSeconds"),
    ("{\"accounts\": {\"a\": {\"tokenFile\": \"/a\", \"lifetimeSeconds\": 0}}}", "lifetimeSeconds must be a whole"),
    ("{\"accounts\": {\"a\": {\"home\": \"/a\"}, \"a\": {}}}", "f: duplicate JSON member name at line 1, column 36"),
    ("{\"files\": {\"a\": {}}}", "line 1, column 12: files.a needs a path"),
    ("{\"files\": {\"a\": {\"path\": \"a\"}}}", "files.a.path must be a path that begins with /"),
    ("{\"files\": {\"a\": {\"path\": \"/a\", \"hook\": \"b\"}}}", "files.a.hook is no setting"),
    ("{\"files\": {\"a\": {\"path\": \"/a\"}, \"b\": {\"path\": \"/a\"}}}", "files.b has the path of a"),
    ("{", "f: invalid JSON at line 1, column 2: expected a member name"), ("[]", "f: expected a JSON object"),
  ])
  func `a mistake is told with its line and column`(text: String, words: String) {
    let error = #expect(throws: AuthError.self) { try AgentSettings(parsing: Array(text.utf8), name: "f") }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "no error")")
  }

  @Test func `a rule cannot name the user or the group that stands for unknown ones`() throws {
    let namespace = UserNamespace { $0 == "/proc/self/uid_map" ? "0 100000 65536\n" : nil }
    for (kind, text) in [("user", "every user that this user"), ("group", "every group that this user")] {
      let bytes = Array(#"{"clients": {"a": {"\#(kind)": 65534, "accounts": []}}}"#.utf8)
      let error = #expect(throws: AuthError.self) { try AgentSettings(parsing: bytes, name: "f", in: namespace) }
      #expect(error?.message.contains("clients.a names \(kind) 65534, which stands for \(text)") == true)
    }
  }

  @Test func `a file that others can change, and none, are refused`() throws {
    let path = NSTemporaryDirectory() + "gatehouse-" + SystemRandomSource().identifier()
    defer { try? OpenFolder.removeAll(at: path) }
    #expect(#expect(throws: AuthError.self) { try AgentSettings(file: path) }?.code == .storeUnreadable)
    try Data("{}".utf8).write(to: URL(filePath: path))
    #expect(try AgentSettings(file: path) == AgentSettings())
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    #expect(#expect(throws: AuthError.self) { try AgentSettings(file: path) }?.code == .storeUnsafe)
  }
}
