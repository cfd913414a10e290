import Foundation
import GatehouseJOSE
import Testing

/// The settings of the home's provider, seen through the built command.
struct SettingsCommandTests {
  private func write(_ settings: String, to home: GateHome) throws {
    try Data(settings.utf8).write(to: URL(filePath: home.path + "/provider.json"))
  }

  @Test func `the settings in force are shown, with where they come from`() async throws {
    try await GateHome.withAda { home in
      try write("{\n  \"tokenLifetime\": \"20 min\", \"appName\": \"App\"}", to: home)
      let variables = ["GATEHOUSE_PROVIDER_APP_NAME": "Other", "GATEHOUSE_TOKEN_LIFETIME": ""]
      let shown = try await home.gate("provider", "settings", environment: variables)
      #expect(shown.succeeded, "\(shown)")
      let lines = shown.output.split(separator: "\n")
      #expect(lines.contains("tokenLifetime: 20 min (\(home.path)/provider.json, line 2, column 3)"), "\(shown)")
      #expect(lines.contains("appName: Other (environment, GATEHOUSE_PROVIDER_APP_NAME)"), "\(shown)")
      #expect(lines.contains("enumerationProtection: false"), "\(shown)")

      let lifetime = try await home.gate(
        "provider", "settings", "--json", environment: ["GATEHOUSE_TOKEN_LIFETIME": "7"])
      let rows = try JSONValue(parsing: lifetime.output.utf8)["settings"]?.array ?? []
      let row = rows.first { $0["key"] == "tokenLifetime" }
      #expect(
        row == ["key": "tokenLifetime", "value": "7 s", "source": "environment, GATEHOUSE_TOKEN_LIFETIME"],
        "\(lifetime)")
      #expect(rows.first { $0["key"] == "signing" } == ["key": "signing", "value": "RS256"])
    }
  }

  @Test func `the home's provider follows its settings`() async throws {
    try await GateHome.withAda { home in
      try write("{\"passwordRequirements\": {\"minimumLength\": 30}}", to: home)
      let weak = try await home.gate("sign-up", "eve@example.com", "--password-stdin", input: GateHome.password)
      #expect(weak.status == 1 && weak.errors.contains("at least 30 characters"), "\(weak)")
      try write("{}", to: home)
      let made = try await home.gate("sign-up", "eve@example.com", "--password-stdin", input: GateHome.password)
      #expect(made.succeeded, "\(made)")
    }
  }

  @Test func `gate verify knows the tokens of the project and the issuer that are set`() async throws {
    try await GateHome.withAda { home in
      for settings in ["{\"projectID\": \"shop\"}", "{\"issuer\": \"https://login.shop.example\"}"] {
        try write(settings, to: home)
        let verified = try await home.shell(
          "gate token --force-refresh | gate verify", environment: ["GATEHOUSE_HOME": home.path])
        #expect(verified.succeeded && verified.output.contains(GateHome.email), "\(verified)")
      }
      let token = try await home.gate("token")
      try write("{}", to: home)
      let foreign = try await home.gate(["verify"], input: Array(token.output.utf8))
      #expect(foreign.status == 1 && foreign.errors.contains("[issuerMismatch]"), "\(foreign)")
    }
  }

  @Test func `what needs no setting works under a mistake in the settings`() async throws {
    try await GateHome.withAda { home in
      try write("{\"colour\": 1}", to: home)
      let variables = ["GATEHOUSE_PROVIDER_COLOUR": "1"]
      for arguments in [["whoami"], ["token"], ["sign-out"]] {
        let outcome = try await home.gate(arguments, input: [], environment: variables)
        #expect(outcome.succeeded && outcome.output != "" && outcome.errors == "", "\(arguments): \(outcome)")
      }
      #expect(!FileManager.default.fileExists(atPath: home.session))
      #expect(try await home.gate("whoami").status == 3)
    }
  }

  @Test func `a variable that is not UTF-8 is a mistake in the settings`() async throws {
    try await GateHome.withAda { home in
      let shown = try await home.shell(
        "GATEHOUSE_PROVIDER_APP_NAME=\"$(printf 'a\\351')\" gate --home \"$home\" provider settings")
      #expect(shown.status == 1, "\(shown)")
      #expect(shown.errors.contains("the variable GATEHOUSE_PROVIDER_APP_NAME is not UTF-8"), "\(shown)")
    }
  }

  @Test(arguments: [
    ("{\"colour\": 1}", "provider.json, line 1, column 2: colour is no setting"),
    ("{\"projectID\": 5}", "provider.json, line 1, column 2: projectID must be a text of 1 to 128 bytes, and is 5"),
    ("{", "provider.json: invalid JSON at line 1, column 2"),
  ])
  func `a mistake in the settings stops the command`(settings: String, message: String) async throws {
    try await GateHome.withAda { home in
      try write(settings, to: home)
      for arguments in [["provider", "settings"], ["token", "--force-refresh"]] {
        let outcome = try await home.gate(arguments, input: [])
        #expect(outcome.status == 1 && outcome.errors.contains(message), "\(outcome)")
      }
      let asked = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(asked.status == 1 && asked.errors.contains(message), "\(asked)")
      // A token with keys of its own asks nothing of the home.
      try Data("{\"keys\":[]}".utf8).write(to: URL(filePath: home.folder + "/keys.json"))
      let other = try await home.gate("verify", "--jwks", home.folder + "/keys.json", "a.b.c")
      #expect(other.status == 1 && !other.errors.contains("provider.json"), "\(other)")
    }
  }
}
