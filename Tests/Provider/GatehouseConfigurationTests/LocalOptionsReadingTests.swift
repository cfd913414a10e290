import Configuration
import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal
import IdentityToolkit
import Testing

/// From settings to options.
struct LocalOptionsReadingTests {
  @Test func `without settings the options are those of the base`() async throws {
    var base = LocalOptions()
    base.projectID = "mine"
    base.audit = nil
    base.delivery = LogDelivery()
    let read = try await options("{}", over: base)
    #expect(read.projectID == "mine" && read.audit == nil && read.delivery is LogDelivery)
    #expect(Printed(read) == Printed(base))
  }

  @Test func `each plain setting changes its option and no other`() async throws {
    let standard = Printed(LocalOptions())
    for setting in Setting.plain where setting.isAlone {
      let read = Printed(try await options("{}", [setting.variable: setting.different]))
      let changed = read.members.filter { standard.members[$0.key] != $0.value }.map(\.key)
      let option = setting.key == "delivery.timeout" ? "deliveryTimeout" : setting.path[0]
      #expect(changed == [option], "\(setting.key)")
    }
  }

  @Test func `the ends of each plain setting's range pass the options' own check`() async throws {
    for setting in Setting.plain where setting.isAlone {
      for end in setting.ends {
        await #expect(throws: Never.self, "\(setting.key)") { try await options("{}", [setting.variable: end]) }
      }
    }
  }

  @Test func `every option has a setting, or a reason for none`() {
    let reasons = [
      "transport": "an object of the program's", "logger": "an object of the program's",
      "clocks": "an object of the program's", "beginsProvider": "for gate",
      "pragmas": "for tests", "patience": "for tests", "maximumDeliveryDelay": "for tests", "random": "for tests",
      "statementRan": "for tests",
      "acceptsUnverifiedIdentities": "one line of a file would let each user sign in as every other",
      "acceptsUnverifiedCustomTokens": "the same", "allowsAddressAlone": "for an emulator", "signsTokens": "the same",
      "allowsAllDomains": "for an emulator", "linkMade": "for an emulator",
      "opensAnyHome": "for gate", "holder": "for gate",
      "deliveryTimeout": "delivery.timeout",
    ]
    let settings = Set(Setting.plain.map { $0.path[0] })
    let options = Set(Printed(LocalOptions()).members.keys)
    #expect(options.subtracting(settings).symmetricDifference(reasons.keys).sorted() == [])
  }

  @Test func `the defaults that are shown are those of the options`() async throws {
    for setting in Setting.plain where setting.isAlone && setting.standard != "none" && setting.key != "issuer" {
      let standard = setting.standard.replacing(", ", with: ",")
      #expect(
        Printed(try await options("{}", [setting.variable: standard])) == Printed(LocalOptions()), "\(setting.key)")
    }
  }

  @Test func `the way of delivery is one of four, with what it needs and nothing else`() async throws {
    #expect(try await options(#"{"delivery": {"by": "log"}}"#).delivery is LogDelivery)
    #expect(try await options(#"{"delivery": {"by": "file", "folder": "mail"}}"#).delivery is FileDelivery)
    let mail = #"{"delivery": {"by": "sendmail", "from": "app@app.example", "program": "/bin/mail"}}"#
    #expect(try await options(mail).delivery is SendmailDelivery)
    #expect(try await options(#"{"textDelivery": {"by": "file", "folder": "x"}}"#).textDelivery is FileDelivery)
    var base = LocalOptions()
    base.delivery = LogDelivery()
    base.textDelivery = LogDelivery()
    #expect(try await options(#"{"delivery": {"by": "none"}}"#, over: base).delivery == nil)
    #expect(try await options(#"{"textDelivery": {"by": "none"}}"#, over: base).textDelivery == nil)

    #expect(
      await refusal(#"{"delivery": {"by": "file"}}"#)
        == "settings.json, line 1, column 15: delivery.folder is missing: delivery.by file needs it")
    #expect(
      await refusal("{}", ["GATEHOUSE_PROVIDER_DELIVERY_BY": "sendmail"])
        == "environment, GATEHOUSE_PROVIDER_DELIVERY_BY: "
        + "delivery.from is missing: delivery.by sendmail needs it")
    #expect(
      await refusal(#"{"delivery": {"folder": "mail"}}"#)
        == "settings.json, line 1, column 15: delivery.folder has no effect: delivery.by is not set")
    #expect(
      await refusal(#"{"textDelivery": {"by": "log", "folder": "x"}}"#)
        == "settings.json, line 1, column 32: textDelivery.folder has no effect: textDelivery.by is log")
  }

  @Test func `the audit log is switched off, or has sizes`() async throws {
    #expect(try await options(#"{"audit": {"enabled": false}}"#).audit == nil)
    let sizes = try await options(#"{"audit": {"keptFiles": 9}}"#).audit
    #expect(sizes == AuditOptions(keptFiles: 9))
    let time = try await options(#"{"audit": {"keptTime": "30 d"}}"#).audit?.keptTime
    #expect(time == .seconds(30 * 86400))
    var base = LocalOptions()
    base.audit = nil
    #expect(try await options(#"{"audit": {"enabled": true}}"#, over: base).audit == AuditOptions())
    #expect(
      await refusal(#"{"audit": {"enabled": false, "keptFiles": 9}}"#)
        == "settings.json, line 1, column 30: audit.keptFiles has no effect: audit.enabled is false")
  }

  @Test func `identity providers need a transport, unless nothing is fetched from them`() async throws {
    let google = #"{"identityProviders": {"enabled": ["google.com"], "google.com": {"clientIDs": ["one"]}}}"#
    await #expect {
      try await options(google, over: LocalOptions())
    } throws: { error in
      (error as? AuthError)?.message.contains("identityProviders.enabled needs a transport") == true
    }
    var unverified = LocalOptions()
    unverified.acceptsUnverifiedIdentities = true
    #expect(try await options(google, over: unverified).identityProviders.count == 1)
    #expect(try await options("{}", over: LocalOptions()).identityProviders.isEmpty)
  }

  @Test func `identity providers are those that are enabled, with their settings`() async throws {
    let read = try await options(
      #"""
      {"identityProviders": {
        "enabled": ["google.com", "github.com", "oidc.example", "corp"],
        "google.com": {"clientIDs": ["one", "two"], "isTrustedWithEmail": false},
        "github.com": {"clientID": "id", "clientSecret": "hush", "api": "https://git.example"},
        "facebook.com": {"appID": "not enabled"},
        "oidc.example": {"issuer": "https://login.example", "clientIDs": ["app"], "timeout": "3 s"},
        "corp": {"userInfo": {
          "url": "https://corp.example/me", "check": "introspection",
          "introspectionURL": "https://corp.example/token", "clientID": "app", "clientSecret": "hush",
          "subject": "uid"}}
      }}
      """#, over: .withTransport)
    var google = IdentityProvider.google(clientIDs: ["one", "two"])
    google.isTrustedWithEmail = false
    var example = IdentityProvider.openIDConnect("oidc.example", issuer: "https://login.example", clientIDs: ["app"])
    example.timeout = .seconds(3)
    let corp = UserInfoEndpoint(
      url: "https://corp.example/me",
      check: .introspection(
        url: "https://corp.example/token", clientID: "app", clientSecret: Secret("hush")),
      members: .init(subject: "uid"))
    #expect(
      read.identityProviders == [
        google, .gitHub(clientID: "id", clientSecret: Secret("hush"), api: "https://git.example"), example,
        .userInfo("corp", corp),
      ])
    let secret = "GATEHOUSE_PROVIDER_IDENTITY_PROVIDERS_FACEBOOK_COM_APP_SECRET"
    let facebook = try await options(
      #"{"identityProviders": {"enabled": ["facebook.com"], "facebook.com": {"appID": "id"}}}"#, [secret: "hush"],
      over: .withTransport)
    #expect(facebook.identityProviders == [.facebook(appID: "id", appSecret: Secret("hush"))])
  }

  @Test(arguments: [
    (#""enabled": ["github.com"]"#, "identityProviders.github.com.clientID is missing: github.com needs it"),
    (#""enabled": ["google.com"]"#, "identityProviders.google.com.clientIDs is missing or empty: google.com needs it"),
    (#""enabled": ["oidc.a"]"#, "identityProviders.oidc.a.issuer is missing: oidc.a needs it"),
    (
      #""enabled": ["a"], "a": {"userInfo": {"url": "https://a.example"}}"#,
      "identityProviders.a.userInfo.check is missing: identityProviders.a.userInfo.url needs it"
    ),
    (
      #""enabled": ["a"], "a": {"issuer": "https://a.example", "clientIDs": ["a"], "userInfo": {"name": "n"}}"#,
      "identityProviders.a.userInfo.name has no effect: identityProviders.a.userInfo.url is not set"
    ),
    (#""enabled": ["a b"]"#, "identityProviders.enabled must have names of ASCII letters, digits, "),
    (#""enabled": ["password"], "password": {"issuer": "https://a.example", "clientIDs": ["a"]}"#, "an identity provi"),
  ])
  func `an identity provider without what it needs is refused`(settings: String, message: String) async {
    let refusal = await refusal("{\"identityProviders\": {\(settings)}}")
    #expect(refusal.hasPrefix("settings.json, line 1, column ") && refusal.contains(": " + message), "\(refusal)")
  }

  @Test(arguments: [
    (
      #"{"identityProviders": {"google.com": {"clientIDs": ["one"]}, "github.com": {"api": "https://a.example"}}}"#,
      "settings.json, line 1, column 39: identityProviders.google.com.clientIDs has no effect: "
        + "identityProviders.enabled is not set; list its name there"
    ),
    (
      "{\"templates\": {\n  \"de\": {\n    \"phone\": \"%CODE%\"}}}",
      "settings.json, line 3, column 5: templates.de.phone has no effect: "
        + "templates.languages is not set; list its name there"
    ),
  ])
  func `settings of names that no list has are refused with their place`(text: String, message: String) async throws {
    #expect(await refusal(text) == message)
    let name = "GATEHOUSE_PROVIDER_TEMPLATES_DE_PHONE"
    #expect(
      await refusal("{}", [name: "%CODE%"])
        == "the variable \(name) has no effect: templates.languages is not set; list its name there")
    // A list may be in another origin than the settings of its names.
    let phones = try await options(#"{"templates": {"languages": ["de"]}}"#, [name: "%CODE%"]).templates.phoneTexts
    #expect(phones["de"] == "%CODE%")
    let google = #"{"identityProviders": {"google.com": {"clientIDs": ["one"]}}}"#
    let list = "GATEHOUSE_PROVIDER_IDENTITY_PROVIDERS_ENABLED"
    #expect(
      try await options(google, [list: "google.com"], over: .withTransport).identityProviders == [
        .google(clientIDs: ["one"])
      ])
  }

  @Test func `a language has words of its own, and the built-in ones where it has none`() async throws {
    let read = try await options(
      #"""
      {"templates": {"languages": ["pt", "de"], "pt": {
        "passwordReset": {"subject": "Nova senha", "text": "%LINK%"}, "phone": "%CODE%"},
        "de": {"passwordReset": {"subject": "Passwort"}}}}
      """#)
    #expect(read.templates["pt", .passwordReset] == .init(subject: "Nova senha", text: "%LINK%"))
    #expect(read.templates.phoneTexts["pt"] == "%CODE%")
    #expect(read.templates["de", .passwordReset]?.subject == "Passwort")
    #expect(read.templates["de", .passwordReset]?.text == MessageTemplates()["de", .passwordReset]?.text)
    #expect(
      await refusal(#"{"templates": {"languages": ["pt"], "pt": {"verifyEmail": {"subject": "x"}}}}"#)
        == "settings.json, line 1, column 60: templates.pt.verifyEmail.text is missing: "
        + "a message in a new language needs it")
  }

  @Test func `options that contradict each other are refused`() async {
    #expect(
      await refusal(#"{"passwordRequirements": {"minimumLength": 20, "maximumLength": 10}}"#)
        == "settings.json, line 1, column 48: the longest password must not be shorter than the shortest")
    let leaked = await refusal(#"{"leakedPasswords": {"file": "/nowhere/list"}}"#)
    #expect(leaked.contains("settings.json, line 1, column 22: ") && leaked.contains("/nowhere/list"), "\(leaked)")
  }

  @Test func `a provider of another kind is checked as well`() async throws {
    func read(_ values: [AbsoluteConfigKey: ConfigValue]) async -> String {
      do throws(AuthError) {
        let reader = ConfigReader(provider: InMemoryProvider(values: values)).scoped(to: "auth")
        return "\(try await typed { try await LocalOptions(reading: reader).throttle.attempts })"
      } catch {
        return error.message
      }
    }
    #expect(await read(["auth.throttle.attempts": 7]) == "7")
    let message = "throttle.attempts must be a whole number from 1 to 1000000"
    #expect(await read(["auth.throttle.attempts": 0]) == message + ", and is 0")
    // A reader that is asked in the way that does not throw would answer the default.
    #expect(await read(["auth.throttle.attempts": "seven"]) == message)
  }

  @Test func `it is told where each value comes from, and no secret is shown`() async throws {
    let text = #"{"appName": "App","identityProviders": {"enabled": ["github.com"],"github.com": {"clientID": "id"}}}"#
    let secret = "GATEHOUSE_PROVIDER_IDENTITY_PROVIDERS_GITHUB_COM_CLIENT_SECRET"
    let inForce = try await SettingsInForce(
      providers: [try ProviderSettings.environment([secret: "hush"]), try file(text)], over: LocalOptions(),
      standards: ["enumerationProtection": "false"])
    let rows = Dictionary(uniqueKeysWithValues: inForce.rows.map { ($0.setting.key, $0) })
    #expect(rows["appName"]?.value == "App" && rows["appName"]?.source == "settings.json, line 1, column 2")
    let hidden = rows["identityProviders.github.com.clientSecret"]
    #expect(hidden?.value == "•••" && hidden?.source == "environment, \(secret)")
    #expect(rows["tokenLifetime"]?.value == "1 h" && rows["tokenLifetime"]?.source == nil)
    #expect(rows["enumerationProtection"]?.value == "false")
    #expect(!"\(inForce.rows)".contains("hush"))
  }
}

/// Options as their members' texts, to compare them.
private struct Printed: Equatable {
  let members: [String: String]

  init(_ options: LocalOptions) {
    let members = Mirror(reflecting: options).children.map { child in
      // A closure, an object and a dictionary print differently each time.
      let isPlain = !["logger", "clocks", "templates"].contains(child.label)
      return (child.label ?? "", isPlain ? "\(child.value)" : "")
    }
    self.members = Dictionary(uniqueKeysWithValues: members)
  }
}

extension Setting {
  /// Whether it can be set without any other setting.
  fileprivate var isAlone: Bool {
    !["delivery.", "textDelivery.", "audit.", "identityProviders.", "templates.", "leakedPasswords."].contains {
      key.hasPrefix($0)
    } || key == "delivery.timeout"
  }

  /// The ends of the range, as the environment has them. Not of the two whose range does not say all: scrypt's n, whose
  /// product with r is limited, and an address.
  fileprivate var ends: [String] {
    switch kind {
    case .number(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .duration(let range, let word): ["\(range.lowerBound) s", "\(range.upperBound) s"] + (word.map { [$0] } ?? [])
    case .text(let range) where key != "actionURL":
      [range.lowerBound, range.upperBound].map { String(repeating: "x", count: $0) }
    case .flag, .powerOfTwo, .text, .choice, .list: []
    }
  }

  /// A value that is allowed and is not the default, as the environment has it.
  fileprivate var different: String {
    switch kind {
    case .flag: standard == "true" ? "false" : "true"
    case .number(let range): "\(min(range.upperBound, 9))"
    case .powerOfTwo: "16384"
    case .duration: "77 s"
    case .choice(let words): words.first { $0 != standard } ?? ""
    case .text, .list: example
    }
  }
}
