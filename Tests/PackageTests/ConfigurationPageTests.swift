import Foundation
import GatehouseConfiguration
import Testing

/// `Docs/configuration.md` and the settings that there are.
struct ConfigurationPageTests {
  private let page = DocumentPrograms.configuration

  private static func row(_ setting: Setting) -> String {
    let allowed = setting.kind.allowed + (setting.isSecret ? "; a secret" : "")
    return "| `\(setting.key)` | \(allowed) | \(setting.standard) | `\(setting.variable)` |"
  }

  @Test func `the page has each setting in a row, with what is allowed, its default and its variable`() throws {
    let text = try Repository.text(of: page.path)
    let rows = text.split(separator: "\n").map(String.init).filter { $0.contains("` | ") && $0.contains("GATEHOUSE_") }
    let settings = Setting.documented.map(Self.row)
    #expect(settings.count > 80)
    #expect(settings.filter { !rows.contains($0) }.joined(separator: "\n") == "", "settings without a row")
    #expect(rows.filter { !settings.contains($0) } == [], "rows without a setting")
    #expect(rows.count == settings.count)
  }

  @Test func `the page's example is a file of settings`() throws {
    _ = try ProviderSettings.file(parsing: #require(page.blocks(of: "json").first), name: "example")
  }

  @Test(.releaseCheck) func `the page's program reads the page's example, and says what is wrong with another file`()
    async throws
  {
    let package = try await DependentPackage.built.value
    #expect(page.blocks.count == page.names.count)
    try await TemporaryFolder.with { folder in
      func run(_ settings: String) async throws -> ChildProcess.Outcome {
        let file = "\(folder)/provider.json"
        try Data(settings.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return try await package.run("ConfigurationRead", in: folder)
      }
      let read = try await run(try #require(page.blocks(of: "json").first))
      #expect(read.succeeded, "\(read)")
      let refused = try await run("{\"throttle\": {\"atempts\": 5}}")
      let words = "provider.json, line 1, column 15: throttle.atempts is no setting; did you mean throttle.attempts?"
      #expect(!refused.succeeded && refused.errors.contains(words), "\(refused)")
    }
  }
}
