import GatehouseBase
import GatehouseConfiguration
import Testing

/// The variables of the environment that set something.
struct EnvironmentSettingsTests {
  @Test func `a variable overrides the file`() async throws {
    let file = #"{"tokenLifetime": "10 min", "throttle": {"attempts": 3}, "authorizedDomains": ["a.example"]}"#
    let read = try await options(
      file,
      [
        "GATEHOUSE_PROVIDER_TOKEN_LIFETIME": "20min", "GATEHOUSE_PROVIDER_AUTHORIZED_DOMAINS": "b.example, c.example",
        "GATEHOUSE_PROVIDER_APP_NAME": "", "GATEHOUSE_STRICT": "1", "PATH": "/bin",
      ])
    #expect(read.tokenLifetime == .seconds(1200))
    #expect(read.authorizedDomains == ["b.example", "c.example"])
    #expect(read.throttle.attempts == 3)
    #expect(read.appName == LocalOptions().appName)
  }

  @Test func `a variable that names no setting is refused, with the one that was meant`() async {
    #expect(
      await refusal("{}", ["GATEHOUSE_PROVIDER_ENUMERATION_PROTECTON": "true"])
        == "the variable GATEHOUSE_PROVIDER_ENUMERATION_PROTECTON is no setting; "
        + "did you mean GATEHOUSE_PROVIDER_ENUMERATION_PROTECTION?")
    #expect(
      await refusal("{}", ["GATEHOUSE_PROVIDER_IDENTITY_PROVIDERS_GITHUB_COM_COLOUR": "true"])
        .hasSuffix("is no setting; Docs/configuration.md lists them"))
  }

  @Test func `a variable that is not UTF-8 is refused, and is not shown`() throws {
    func message(_ entry: [UInt8]) -> String? {
      do throws(AuthError) { _ = try ProviderSettings.environment(entries: [entry]) } catch { return error.message }
      return nil
    }
    let entry = Array("GATEHOUSE_PROVIDER_APP_NAME=caf".utf8)
    #expect(message(entry) == nil)
    #expect(
      message(entry + [0xE9])
        == "the variable GATEHOUSE_PROVIDER_APP_NAME is not UTF-8; set it anew, or unset it")
    #expect(message(Array("GATEHOUSE_PROVIDER_".utf8) + [0xE9] + Array("=a".utf8))?.contains("is not UTF-8") == true)
    // The variables of others are not looked at.
    #expect(message(Array("LANG=".utf8) + [0xE9]) == nil)
    #expect(message(Array("GATEHOUSE_PROVIDER_APP_NAME=a=b".utf8)) == nil)
  }

  @Test(arguments: [
    ("THROTTLE_ATTEMPTS", "many", "a whole number from 1 to 1000000, and is many"),
    ("TOKEN_LIFETIME", "0 s", "a duration from 1 s to 1 d, and is 0 s"),
    ("RECENT_SIGN_IN", "never", "a duration from 1 s to 3650 d, or forever, and is never"),
    ("ROTATES_REFRESH_TOKENS", "on", "true or false, and is on"),
    ("AUTHORIZED_DOMAINS", "a,,b", "a list of texts, none empty and none twice, and is a,,b"),
    ("IDENTITY_PROVIDERS_OIDC_EXAMPLE_TIMEOUT", "1 d", "a duration from 1 s to 10 min, and is 1 d"),
  ])
  func `a value that is not allowed is refused with the variable and what is`(
    name: String, value: String, message: String
  ) async {
    let variable = "GATEHOUSE_PROVIDER_" + name
    #expect(await refusal("{}", [variable: value]) == "\(variable) must be \(message)")
  }

  @Test func `every setting is read from the variable that the documents name`() async throws {
    #expect(Set(Setting.documented.map(\.variable)).count == Setting.documented.count)
    for setting in Setting.plain where setting.path.count > 0 {
      let value = setting.example
      let provider = try ProviderSettings.environment([setting.variable: value])
      let found = try provider.value(forKey: .init(setting.path), type: setting.kind.type)
      #expect(found.value != nil && found.encodedKey == setting.variable, "\(setting.key)")
    }
    for family in SettingFamily.allCases {
      for setting in family.settings(of: "xx.example-1") {
        let provider = try ProviderSettings.environment([setting.variable: setting.example])
        let found = try provider.value(forKey: .init(setting.path), type: setting.kind.type)
        #expect(found.value != nil && found.value?.isSecret == setting.isSecret, "\(setting.key)")
      }
    }
  }
}

extension Setting {
  /// A value that is allowed, as the environment has it.
  var example: String {
    switch kind {
    case .flag: "true"
    case .number(let range): "\(range.lowerBound + 1)"
    case .powerOfTwo(let range): "\(range.lowerBound)"
    case .duration(let range, _): "\(max(range.lowerBound, 60)) s"
    case .text: "http://app.example/x"
    case .choice(let words): words.last ?? ""
    case .list: "app.example,b.example"
    }
  }
}
