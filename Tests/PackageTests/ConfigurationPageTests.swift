import GatehouseConfiguration
import Testing

/// `Docs/configuration.md` and the settings that there are.
@Suite struct ConfigurationPageTests {
  static let page = "Docs/configuration.md"

  private static func row(_ setting: Setting) -> String {
    let allowed = setting.kind.allowed + (setting.isSecret ? "; a secret" : "")
    return "| `\(setting.key)` | \(allowed) | \(setting.standard) | `\(setting.variable)` |"
  }

  @Test func `the page has each setting in a row, with what is allowed, its default and its variable`() throws {
    let text = try Repository.text(of: Self.page)
    let rows = text.split(separator: "\n").map(String.init).filter { $0.contains("` | ") && $0.contains("GATEHOUSE_") }
    let settings = Setting.documented.map(Self.row)
    #expect(settings.count > 80)
    #expect(settings.filter { !rows.contains($0) }.joined(separator: "\n") == "", "settings without a row")
    #expect(rows.filter { !settings.contains($0) } == [], "rows without a setting")
    #expect(rows.count == settings.count)
  }

  @Test func `the page's example is a file of settings`() throws {
    let text = try Repository.text(of: Self.page)
    let example = try #require(text.firstMatch(of: /```json\n(.*?)```/.dotMatchesNewlines())).1
    _ = try ProviderSettings.file(parsing: String(example), name: "example")
  }
}
