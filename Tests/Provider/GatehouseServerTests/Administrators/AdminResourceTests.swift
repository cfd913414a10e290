import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import Testing

/// Tenants and identity providers, with the provider in this process and behind a server: the same.
struct AdminResourceTests {
  typealias Place = AdminScene.Place

  // MARK: Tenants

  @Test(arguments: Place.allCases)
  func `a tenant is made, found, changed, listed and deleted`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let manager = scene.admin.auth(forTenant: "elsewhere").tenantManager
    var settings = TenantSettings(displayName: "My Shop")
    settings.allowsPasswordSignUp = true
    settings.testPhoneNumbers = ["+12025550123": "123456"]
    let made = try await manager.createTenant(settings)
    #expect(made.tenantID.hasPrefix("myshop-") && made.settings == settings)
    #expect(try await manager.getTenant(made.tenantID) == made)
    settings.displayName = nil
    settings.allowsPasswordSignUp = false
    settings.enablesEmailLinkSignIn = true
    settings.enablesAnonymousSignIn = true
    settings.isDisabled = true
    settings.testPhoneNumbers = [:]
    let changed = try await manager.updateTenant(made.tenantID, settings)
    #expect(changed.settings == settings && changed.tenantID == made.tenantID)
    #expect(try await manager.getTenant(made.tenantID) == changed)
    let second = try await manager.createTenant(TenantSettings(displayName: "z"))
    let first = try await manager.listTenants(maxResults: 1)
    #expect(first.tenants == [changed])
    let next = try await manager.listTenants(maxResults: 2, pageToken: first.nextPageToken)
    #expect(next.tenants == [second] && next.nextPageToken == nil)
    try await manager.deleteTenant(made.tenantID)
    #expect(try await manager.listTenants().tenants == [second])
    for refused in [
      await expectRefusal(.invalidArgument) { try await manager.getTenant(made.tenantID) },
      await expectRefusal(.invalidArgument) { try await manager.updateTenant(made.tenantID, settings) },
      await expectRefusal(.invalidArgument) { try await manager.deleteTenant(made.tenantID) },
    ] {
      #expect(refused?.serverCode == "TENANT_NOT_FOUND")
    }
    await expectRefusal(.invalidArgument) { try await manager.getTenant("") }
    await expectRefusal(.invalidArgument) { try await manager.updateTenant("", settings) }
    await expectRefusal(.invalidArgument) { try await manager.deleteTenant("") }
    await expectRefusal(.invalidArgument) { try await manager.listTenants(maxResults: 0) }
    await expectRefusal(.invalidArgument) { try await manager.listTenants(maxResults: 101) }
    #expect(scene.wire.count("/tenants/") == 0)
  }

  @Test(arguments: Place.allCases)
  func `a tenant's users sign in as its settings say, and end with it`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let manager = scene.admin.tenantManager
    let tenant = try await manager.createTenant(TenantSettings(displayName: "shop"))
    let users = manager.auth(forTenant: tenant.tenantID)
    _ = try await users.createUser(
      CreateUserRequest(uid: "ada", email: "ada@example.com", password: Secret("correct horse")))
    func signIn() async -> Reply {
      await scene.scene.post(
        "/v1/accounts:signInWithPassword",
        #"{"email":"ada@example.com","password":"correct horse","tenantId":"\#(tenant.tenantID)"}"#)
    }
    #expect(await signIn().message == "PASSWORD_LOGIN_DISABLED")
    var settings = tenant.settings
    settings.allowsPasswordSignUp = true
    _ = try await manager.updateTenant(tenant.tenantID, settings)
    #expect(await signIn().status == 200)
    try await manager.deleteTenant(tenant.tenantID)
    await expectRefusal(.invalidArgument) { try await users.listUsers() }
  }

  // MARK: Identity providers

  private static let configs: [AuthProviderConfig] = [
    .oidc(OIDCProviderConfig(providerID: "oidc.one", clientID: "c", issuer: "https://issuer.example")),
    .saml(
      SAMLProviderConfig(
        providerID: "saml.one", idpEntityID: "i", ssoURL: "https://i.example/", x509Certificates: ["PEM"],
        rpEntityID: "s")),
  ]

  private static func changed(_ config: AuthProviderConfig) -> AuthProviderConfig {
    switch config {
    case .oidc(var config):
      config.displayName = "One"
      config.isEnabled = false
      config.clientID = "d"
      config.issuer = "https://other.example"
      config.clientSecret = Secret("s")
      config.answersIDToken = false
      config.answersCode = true
      return .oidc(config)
    case .saml(var config):
      config.displayName = "One"
      config.isEnabled = false
      config.idpEntityID = "j"
      config.ssoURL = "https://j.example/"
      config.x509Certificates = ["A", "B"]
      config.rpEntityID = "t"
      config.callbackURL = "https://t.example/"
      return .saml(config)
    }
  }

  @Test(arguments: Place.allCases, configs)
  func `an identity provider is made, found, changed, listed and deleted`(
    place: Place, config: AuthProviderConfig
  ) async throws {
    let admin = try await AdminScene(place).admin
    let tenant = try await admin.tenantManager.createTenant(TenantSettings())
    try await walk(config, admin, beside: admin.auth(forTenant: tenant.tenantID))
    try await walk(config, admin.auth(forTenant: tenant.tenantID), beside: admin)
  }

  private func walk(_ config: AuthProviderConfig, _ admin: AdminAuth, beside other: AdminAuth) async throws {
    let id = config.providerID
    let kind: AuthProviderConfig.Kind = id.hasPrefix("oidc") ? .oidc : .saml
    #expect(try await admin.createProviderConfig(config) == config)
    let twice = await expectRefusal(.invalidArgument) { try await admin.createProviderConfig(config) }
    #expect(twice?.serverCode == "CONFIGURATION_EXISTS")
    #expect(try await admin.getProviderConfig(id) == config)
    let changed = Self.changed(config)
    #expect(try await admin.updateProviderConfig(changed) == changed)
    #expect(try await admin.getProviderConfig(id) == changed)
    let page = try await admin.listProviderConfigs(kind, maxResults: 1)
    #expect(page.providerConfigs == [changed])
    #expect(try await admin.listProviderConfigs(kind, pageToken: page.nextPageToken).providerConfigs.isEmpty)
    #expect(try await admin.listProviderConfigs(kind == .oidc ? .saml : .oidc).providerConfigs.isEmpty)
    #expect(try await other.listProviderConfigs(kind).providerConfigs.isEmpty)
    // What the value leaves out is removed; but a secret, which a server may keep to itself, stays.
    let restored = try await admin.updateProviderConfig(config)
    if case .oidc(let oidc) = restored { #expect(oidc.clientSecret == Secret("s") && oidc.displayName == nil) }
    if case .saml(let saml) = restored { #expect(saml.callbackURL == nil && restored == config) }
    try await admin.deleteProviderConfig(id)
    for refused in [
      await expectRefusal(.invalidArgument) { try await admin.getProviderConfig(id) },
      await expectRefusal(.invalidArgument) { try await admin.updateProviderConfig(config) },
      await expectRefusal(.invalidArgument) { try await admin.deleteProviderConfig(id) },
    ] {
      #expect(refused?.serverCode == "CONFIGURATION_NOT_FOUND")
    }
  }

  @Test(arguments: Place.allCases)
  func `a provider that cannot be is refused`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    let oidc = OIDCProviderConfig(providerID: "saml.one", clientID: "c", issuer: "https://issuer.example")
    let nameless = OIDCProviderConfig(providerID: "one", clientID: "c", issuer: "https://issuer.example")
    for config in [oidc, nameless] {
      let refused = await expectRefusal(.invalidArgument) { try await admin.createProviderConfig(.oidc(config)) }
      #expect(refused?.serverCode == "INVALID_CONFIG_ID")
      await expectRefusal(.invalidArgument) { try await admin.updateProviderConfig(.oidc(config)) }
    }
    await expectRefusal(.invalidArgument) { try await admin.getProviderConfig("") }
    await expectRefusal(.invalidArgument) { try await admin.deleteProviderConfig("google.com") }
    for (client, issuer, word) in [
      ("", "https://issuer.example", "MISSING_OAUTH_CLIENT_ID"), ("c", "", "MISSING_ISSUER"),
      ("c", "issuer", "INVALID_CONFIG"),
    ] {
      let config = OIDCProviderConfig(providerID: "oidc.one", clientID: client, issuer: issuer)
      let refused = await expectRefusal(.invalidArgument) { try await admin.createProviderConfig(.oidc(config)) }
      #expect(refused?.serverCode == word)
    }
    #expect(try await admin.listProviderConfigs(.oidc).providerConfigs.isEmpty)
  }

  @Test(arguments: Place.allCases)
  func `the completion forms of the resources answer as the others`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    func answer<Value: Sendable>(
      _ call: (@escaping @Sendable (Result<Value, AuthError>) -> Void) -> Void
    ) async throws -> Value {
      try await withCheckedContinuation { caller in call { caller.resume(returning: $0) } }.get()
    }
    let manager = admin.tenantManager
    let tenant = try await answer { manager.createTenant(TenantSettings(displayName: "t"), completion: $0) }
    let id = tenant.tenantID
    #expect(try await answer { manager.getTenant(id, completion: $0) } == tenant)
    #expect(try await answer { manager.listTenants(completion: $0) }.tenants == [tenant])
    #expect(try await answer { manager.updateTenant(id, tenant.settings, completion: $0) } == tenant)
    try await answer { manager.deleteTenant(id, completion: $0) }
    let config = Self.configs[0]
    #expect(try await answer { admin.createProviderConfig(config, completion: $0) } == config)
    #expect(try await answer { admin.getProviderConfig("oidc.one", completion: $0) } == config)
    #expect(try await answer { admin.listProviderConfigs(.oidc, completion: $0) }.providerConfigs == [config])
    #expect(try await answer { admin.updateProviderConfig(config, completion: $0) } == config)
    try await answer { admin.deleteProviderConfig("oidc.one", completion: $0) }
    #expect(try await answer { admin.importUsers([UserImportRecord(uid: "a")], completion: $0) }.successCount == 1)
    _ = try await admin.createUser(CreateUserRequest(email: "ada@example.com"))
    let link = try await answer {
      admin.generateVerifyAndChangeEmailLink(forEmail: "ada@example.com", newEmail: "b@example.com", completion: $0)
    }
    #expect(link.contains("mode=verifyAndChangeEmail"))
  }

  @Test func `a document without a name is no answer`() async throws {
    let scene = try await AdminScene()
    for body in [#"{"displayName":"x"}"#, #"{"tenants":[{}]}"#] {
      scene.wire.intercept { request in
        request.url.contains("/tenants")
          ? TransportResponse(status: 200, body: Array(body.utf8), url: request.url) : nil
      }
      await expectRefusal(.responseInvalid) {
        if body.contains("[") {
          _ = try await scene.admin.tenantManager.listTenants()
        } else {
          _ = try await scene.admin.tenantManager.getTenant("t")
        }
      }
    }
  }
}
