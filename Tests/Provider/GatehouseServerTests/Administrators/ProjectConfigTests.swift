import GatehouseAdmin
import GatehouseBase
import GatehouseHTTP
import Testing

/// The project's configuration, with the provider in this process and behind a server.
struct ProjectConfigTests {
  typealias Place = AdminScene.Place

  @Test(arguments: Place.allCases)
  func `the project's configuration is read and changed, one member at a time`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let manager = scene.admin.auth(forTenant: "elsewhere").projectConfigManager
    let first = try await manager.getProjectConfig()
    #expect(first.smsRegionConfig == nil && first.multiFactorConfig == nil && first.passwordPolicyConfig == nil)
    #expect(first.emailPrivacyConfig == EmailPrivacyConfig(enableImprovedEmailPrivacy: false))
    #expect(try await manager.updateProjectConfig(UpdateProjectConfigRequest()) == first)

    var request = UpdateProjectConfigRequest()
    request.smsRegionConfig = .allowlistOnly(allowedRegions: ["DE", "FR"])
    request.multiFactorConfig = MultiFactorConfig(
      state: .enabled, factorIDs: ["phone"],
      providerConfigs: [.init(state: .disabled, totpProviderConfig: .init(adjacentIntervals: 5))])
    let changed = try await manager.updateProjectConfig(request)
    #expect(changed.smsRegionConfig == request.smsRegionConfig)
    #expect(changed.multiFactorConfig == request.multiFactorConfig)
    #expect(changed.passwordPolicyConfig == nil)
    #expect(try await manager.getProjectConfig() == changed)

    var policy = PasswordPolicyConfig(enforcementState: .enforce)
    policy.constraints.minLength = 8
    policy.constraints.requireNumeric = true
    policy.constraints.requireUppercase = true
    policy.constraints.requireLowercase = true
    policy.constraints.requireNonAlphanumeric = true
    policy.forceUpgradeOnSignin = true
    var second = UpdateProjectConfigRequest()
    second.passwordPolicyConfig = policy
    second.emailPrivacyConfig = EmailPrivacyConfig(enableImprovedEmailPrivacy: true)
    second.smsRegionConfig = .allowByDefault(disallowedRegions: ["AC"])
    let last = try await manager.updateProjectConfig(second)
    #expect(last.passwordPolicyConfig == policy && last.emailPrivacyConfig == second.emailPrivacyConfig)
    #expect(last.smsRegionConfig == second.smsRegionConfig && last.multiFactorConfig == request.multiFactorConfig)
    #expect(try await manager.getProjectConfig() == last)

    // The configuration is in effect.
    #expect(await scene.scene.signUp("ada@example.com", "horse12").message?.hasPrefix("WEAK_PASSWORD") == true)
    #expect(await scene.scene.signUp("ada@example.com", "Correct-horse 1!").status == 200)
    #expect(await scene.signIn("nobody@example.com").message == "INVALID_LOGIN_CREDENTIALS")
    #expect(scene.wire.count("/config") == (place == .overHTTP ? 6 : 0))
  }

  @Test(arguments: Place.allCases)
  func `a tenant's second factors, regions and password policy are settings`(place: Place) async throws {
    let manager = try await AdminScene(place).admin.tenantManager
    var settings = TenantSettings(displayName: "shop")
    settings.multiFactorConfig = MultiFactorConfig(
      state: .enabled, factorIDs: ["phone"], providerConfigs: [.init(state: .enabled)])
    settings.smsRegionConfig = .allowByDefault(disallowedRegions: [])
    settings.passwordPolicyConfig = PasswordPolicyConfig(enforcementState: .enforce)
    settings.passwordPolicyConfig?.constraints.minLength = 8
    let made = try await manager.createTenant(settings)
    #expect(made.settings == settings)
    settings.multiFactorConfig = nil
    settings.smsRegionConfig = nil
    settings.passwordPolicyConfig = nil
    #expect(try await manager.updateTenant(made.tenantID, settings).settings == settings)
    #expect(try await manager.getTenant(made.tenantID).settings == settings)
  }

  @Test(arguments: Place.allCases)
  func `a configuration that cannot be is refused`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let manager = scene.admin.projectConfigManager
    let before = try await manager.getProjectConfig()
    var requests = [UpdateProjectConfigRequest](repeating: .init(), count: 5)
    requests[0].multiFactorConfig = MultiFactorConfig(state: .enabled, factorIDs: ["totp"])
    requests[1].multiFactorConfig = MultiFactorConfig(
      state: .enabled, providerConfigs: [.init(state: .enabled, totpProviderConfig: .init(adjacentIntervals: 11))])
    for (index, lengths) in [(2, (5, 4096)), (3, (31, 4096)), (4, (8, 7))] {
      var policy = PasswordPolicyConfig(enforcementState: .enforce)
      (policy.constraints.minLength, policy.constraints.maxLength) = lengths
      requests[index].passwordPolicyConfig = policy
    }
    for request in requests {
      await expectRefusal(.invalidArgument) { try await manager.updateProjectConfig(request) }
    }
    var settings = TenantSettings()
    settings.multiFactorConfig = requests[0].multiFactorConfig
    await expectRefusal(.invalidArgument) { try await scene.admin.tenantManager.createTenant(settings) }
    #expect(try await manager.getProjectConfig() == before)
  }

  @Test(arguments: Place.allCases)
  func `the completion forms answer as the others`(place: Place) async throws {
    let manager = try await AdminScene(place).admin.projectConfigManager
    var request = UpdateProjectConfigRequest()
    request.multiFactorConfig = MultiFactorConfig(state: .disabled)
    let changed = try await withCheckedContinuation { caller in
      manager.updateProjectConfig(request) { caller.resume(returning: $0) }
    }.get()
    let read = try await withCheckedContinuation { caller in
      manager.getProjectConfig { caller.resume(returning: $0) }
    }.get()
    #expect(read == changed && read.multiFactorConfig == request.multiFactorConfig)
  }

  @Test func `what a server says besides is no fault`() async throws {
    let scene = try await AdminScene()
    scene.wire.intercept { request in
      guard request.url.contains("/config") else { return nil }
      let body = #"""
        {"name":"projects/1/config","mfa":{"state":"MANDATORY","enabledProviders":["PHONE_SMS","OTHER"],
          "providerConfigs":[{"state":"ENABLED"},{"state":"ENABLED","totpProviderConfig":{}}]},
         "smsRegionConfig":{},"passwordPolicyConfig":{"passwordPolicyEnforcementState":"LATER"}}
        """#
      return TransportResponse(status: 200, body: Array(body.utf8), url: request.url)
    }
    let read = try await scene.admin.projectConfigManager.getProjectConfig()
    #expect(
      read.multiFactorConfig
        == MultiFactorConfig(state: .enabled, factorIDs: ["phone"], providerConfigs: [.init(state: .enabled)]))
    #expect(read.smsRegionConfig == nil && read.passwordPolicyConfig == nil && read.emailPrivacyConfig == nil)
  }
}
