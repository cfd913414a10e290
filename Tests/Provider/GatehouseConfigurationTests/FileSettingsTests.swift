import Configuration
import Foundation
import GatehouseBase
import GatehouseConfiguration
import Testing

/// A file of settings: what is wrong is told with its place.
struct FileSettingsTests {
  @Test func `an unknown key is refused with its place, and the key that was meant`() async {
    #expect(
      await refusal("{\n  \"tokenLifetime\": \"1 h\",\n  \"trottle\": {}\n}")
        == "settings.json, line 3, column 3: trottle is no setting; did you mean throttle?")
    #expect(
      await refusal("{\"throttle\": {\n  \"atempts\": 5}}")
        == "settings.json, line 2, column 3: throttle.atempts is no setting; did you mean throttle.attempts?")
    #expect(
      await refusal("{\"colour\": 1}")
        == "settings.json, line 1, column 2: colour is no setting; Docs/configuration.md lists them")
    #expect(
      await refusal(#"{"identityProviders": {"github.com": {"issuer": "https://github.com"}}}"#)
        .hasPrefix("settings.json, line 1, column 39: identityProviders.github.com.issuer is no setting"))
    let escaped = await refusal(#"{"enumeration\u0050rotection": false, "é": 1}"#)
    #expect(escaped == #"settings.json, line 1, column 39: \u{00E9} is no setting; Docs/configuration.md lists them"#)
  }

  @Test(arguments: [
    (#"{"tokenLifetime": 3600}"#, "tokenLifetime must be a duration from 1 s to 1 d, and is 3600"),
    (#"{"tokenLifetime": "2 d"}"#, "tokenLifetime must be a duration from 1 s to 1 d, and is 2 d"),
    (#"{"tokenLifetime": "1 hour"}"#, "tokenLifetime must be a duration from 1 s to 1 d, and is 1 hour"),
    (#"{"enumerationProtection": "true"}"#, "enumerationProtection must be true or false, and is a text"),
    (#"{"enumerationProtection": null}"#, "enumerationProtection must be true or false, and is null"),
    (#"{"enumerationProtection": {}}"#, "enumerationProtection must be true or false, and is an object"),
    (#"{"signing": "none"}"#, "signing must be RS256 or ES256, and is none"),
    (#"{"projectID": ""}"#, "projectID must be a text of 1 to 128 bytes, and is empty"),
    (
      #"{"authorizedDomains": ["a", "a"]}"#,
      "authorizedDomains must be a list of texts, none empty and none twice, and is a list"
    ),
    (#"{"authorizedDomains": ["a", 1]}"#, "authorizedDomains must be a list of texts, none empty and none twice, "),
    (#"{"throttle": 5}"#, "throttle must be an object, with attempts, window"),
    (#"{"identityProviders": {"github.com": 5}}"#, "identityProviders.github.com must be an object, with clientID"),
  ])
  func `a value that is not allowed is refused with what is`(text: String, message: String) async {
    let refusal = await refusal(text)
    #expect(refusal.hasPrefix("settings.json, line 1, column ") && refusal.contains(": " + message), "\(refusal)")
  }

  @Test(arguments: [
    (#"{"throttle": {"attempts": 0}}"#, "throttle.attempts must be a whole number from 1 to 1000000, and is 0"),
    (#"{"throttle": {"attempts": 1.5}}"#, "throttle.attempts must be a whole number from 1 to 1000000, and is 1.5"),
    (#"{"throttle": {"attempts": 1e30}}"#, "throttle.attempts must be a whole number from 1 to 1000000, and is 1e30"),
    (#"{"passwordCost": {"n": 16}}"#, "passwordCost.n must be a power of two from 8192 to 16777216, and is 16"),
    (#"{"passwordCost": {"n": 8193}}"#, "passwordCost.n must be a power of two from 8192 to 16777216, and is 8193"),
  ])
  func `a number out of range is refused with the range`(text: String, message: String) async {
    #expect(await refusal(text).hasSuffix(": " + message))
  }

  @Test func `what is not JSON is refused with line and column`() {
    func error(_ text: String) -> AuthError? {
      do throws(AuthError) { _ = try file(text) } catch { return error }
      return nil
    }
    #expect(
      error("{\n  \"appName\" \"x\"}")?.message == "settings.json: invalid JSON at line 2, column 13: expected a colon")
    #expect(error("{\"a\": 1,\n\"a\": 2}")?.code == .jsonDuplicateMember)
    #expect(error("{\"a\": 1,\n\"a\": 2}")?.message == "settings.json: duplicate JSON member name at line 2, column 1")
    #expect(error("[]")?.code == .jsonMalformed)
  }

  @Test func `a secret is in no error`() async throws {
    let long = String(repeating: "hush", count: 1000)
    let inFile = #"{"identityProviders": {"github.com": {"clientSecret": "\#(long)"}}}"#
    let variable = "GATEHOUSE_PROVIDER_IDENTITY_PROVIDERS_GITHUB_COM_CLIENT_SECRET"
    for message in [await refusal(inFile), await refusal("{}", [variable: long])] {
      #expect(message.contains("must be a text of 1 to 2048 bytes") && !message.contains("hush"), "\(message)")
    }
    let github = #"{"identityProviders": {"github.com": {"clientSecret": "hush"}}}"#
    let value = try file(github).value(
      forKey: AbsoluteConfigKey(["identityProviders", "github.com", "clientSecret"]), type: .string)
    #expect(value.value?.isSecret == true)
  }

  @Test func `a file that others could change is refused, and one with secrets that others can read`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func error(_ text: String, mode: Int) throws -> AuthError? {
      try Data(text.utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      do throws(AuthError) { _ = try typed { try ProviderSettings.file(path) } } catch { return error }
      return nil
    }
    let secret = #"{"identityProviders": {"github.com": {"clientSecret": "hush"}}}"#
    #expect(try error("{}", mode: 0o644) == nil)
    #expect(try error(secret, mode: 0o600) == nil)
    #expect(try error("{}", mode: 0o666)?.code == .providerUnsafe)
    #expect(try error("{}", mode: 0o620)?.code == .providerUnsafe)
    #expect(try error(secret, mode: 0o644)?.code == .providerUnsafe)
    #expect(try error(secret, mode: 0o604)?.message.contains("run: chmod 600 '\(path)'") == true)
    #expect(try error("{}" + String(repeating: " ", count: 1 << 20), mode: 0o600)?.code == .jsonTooLarge)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: AuthError.self) { try ProviderSettings.file(path) }
  }
}
