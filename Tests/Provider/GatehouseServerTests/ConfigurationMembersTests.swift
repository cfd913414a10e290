import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseServer
import IdentityToolkit
import Testing

/// Every member of a configuration is applied, refused where it asks for a protection that is not there, or kept
/// because it protects nothing (decision 135).
struct ConfigurationMembersTests {
  private enum Outcome {
    /// The test that proves it by a call.
    case applied(String)
    /// Values that ask for the protection, and values that do not.
    case refused([JSONValue], unless: [JSONValue])
    /// The reason why the member protects nothing.
    case kept(String)
  }

  private static let on = Outcome.refused([false, "false"], unless: [true, "true"])
  private static let off = Outcome.refused([true, "true"], unless: [false, "false"])
  private static let label = Outcome.kept("a name")
  private static let output = Outcome.kept("servers set it")
  private static let noAudit = Outcome.kept("without ENFORCE, a reCAPTCHA refuses nothing")
  private static let spelling = "DocumentSpellingTests/a setting in any spelling is in force or refused"
  private static let letters = "ConfigurationRoutesTests/each kind of letter that a policy asks for is asked for"
  private static let factors =
    "SecondFactorConfigurationTests/the project's configuration decides which factors are enrolled"
  private static let regions = "TextRegionsTests/a number gets a text if each region that it can be of is allowed"
  private static let providers =
    "ConfiguredProviderTests/a user of a configured provider signs in, while the provider is "
    + "switched on"
  private static let saml = Outcome.kept("outside an emulator, the users of SAML providers are refused")
  private static let unverified = Outcome.kept("every ID token is verified, and no code is exchanged")

  private static let strength = "passwordPolicyConfig.passwordPolicyVersions.customStrengthOptions"
  private static let shared: [(String, Outcome)] = [
    ("name", label), ("passwordPolicyConfig.passwordPolicyEnforcementState", .applied(spelling)),
    (
      "passwordPolicyConfig.forceUpgradeOnSignin",
      .applied(
        "ConfigurationMembersTests/a password that does not meet the policy signs in no more where that is asked")
    ),
    ("passwordPolicyConfig.lastUpdateTime", output),
    ("passwordPolicyConfig.passwordPolicyVersions.schemaVersion", output),
    ("\(strength).minPasswordLength", .applied(spelling)),
    ("\(strength).maxPasswordLength", .applied("ConfigurationMembersTests/a password may be too long for a policy")),
    ("\(strength).containsLowercaseCharacter", .applied(letters)),
    ("\(strength).containsUppercaseCharacter", .applied(letters)),
    ("\(strength).containsNumericCharacter", .applied(letters)),
    ("\(strength).containsNonAlphanumericCharacter", .applied(letters)),
    ("smsRegionConfig.allowByDefault.disallowedRegions", .applied(regions)),
    ("smsRegionConfig.allowlistOnly.allowedRegions", .applied(regions)),
    ("recaptchaConfig.emailPasswordEnforcementState", .refused(["ENFORCE", 3], unless: ["OFF", "AUDIT", 1])),
    ("recaptchaConfig.phoneEnforcementState", .refused(["ENFORCE", 3], unless: ["OFF", "AUDIT", 0])),
    ("recaptchaConfig.managedRules", noAudit), ("recaptchaConfig.tollFraudManagedRules", noAudit),
    ("recaptchaConfig.useAccountDefender", noAudit), ("recaptchaConfig.useSmsBotScore", noAudit),
    ("recaptchaConfig.useSmsTollFraudProtection", noAudit), ("recaptchaConfig.recaptchaKeys", output),
    ("client.apiKey", output), ("client.firebaseSubdomain", output), ("client.permissions.disabledUserSignup", off),
    ("client.permissions.disabledUserDeletion", off), ("monitoring.requestLogging.enabled", off),
    ("autodeleteAnonymousUsers", off),
    ("mobileLinksConfig", .kept("`actionURL` and `linkDomains` decide where links lead")),
  ]

  private static func secondFactors(_ name: String) -> [(String, Outcome)] {
    [
      ("\(name).state", .applied(factors)), ("\(name).enabledProviders", .applied(factors)),
      ("\(name).providerConfigs.state", .applied(factors)),
      (
        "\(name).providerConfigs.totpProviderConfig.adjacentIntervals",
        .refused([0, "0", 11, -1], unless: [1, "5", 10])
      ),
    ]
  }

  private static let projects: [(String, Outcome)] = [
    ("subtype", output), ("defaultHostingSite", label), ("signIn.hashConfig", output),
    ("authorizedDomains", .kept("others than those of the owner are refused")),
    (
      "signIn.allowDuplicateEmails",
      .applied("ConfigurationRoutesTests/what cannot be in force is refused, and changes nothing")
    ),
    ("signIn.email.enabled", on), ("signIn.email.passwordRequired", off), ("signIn.phoneNumber.enabled", on),
    ("signIn.anonymous.enabled", on),
    ("signIn.phoneNumber.testPhoneNumbers", .kept("every number gets a code of its own")),
    ("notification", .kept("the texts of messages")),
    ("quota.signUpQuotaConfig", .refused([["quota": "5"]], unless: [[:]])),
    ("multiTenant.allowTenants", on), ("multiTenant.defaultTenantLocation", label),
    ("blockingFunctions.triggers", .refused([["beforeSignIn": ["functionUri": "https://x"]]], unless: [[:]])),
    ("blockingFunctions.forwardInboundCredentials", .kept("no function gets credentials")),
    (
      "emailPrivacyConfig.enableImprovedEmailPrivacy",
      .applied("ConfigurationRoutesTests/e-mail privacy is in force at once, and so is its end")
    ),
  ]

  private static let tenants: [(String, Outcome)] = [
    ("displayName", label), ("hashConfig", output), ("inheritance", .kept("the texts of messages")),
    ("testPhoneNumbers", .kept("every number gets a code of its own")),
    ("allowPasswordSignup", .applied(spelling)), ("enableAnonymousUser", .applied(spelling)),
    ("disableAuth", .applied(spelling)),
    ("enableEmailLinkSignin", .applied("ResourceRoutesTests/a tenant allows what its administrator allows")),
    (
      "emailPrivacyConfig.enableImprovedEmailPrivacy",
      .applied(
        "ConfigurationMembersTests/a tenant hides its addresses where its document or the project asks for that")
    ),
  ]

  private static let openID: [(String, Outcome)] = [
    ("name", label), ("displayName", label), ("enabled", .applied(providers)), ("clientId", .applied(providers)),
    ("issuer", .applied(providers)), ("clientSecret", unverified), ("responseType.idToken", unverified),
    ("responseType.code", unverified), ("responseType.token", unverified),
  ]

  private static let samls: [(String, Outcome)] = [
    ("name", label), ("displayName", label), ("enabled", saml), ("idpConfig.idpEntityId", saml),
    ("idpConfig.ssoUrl", saml), ("idpConfig.signRequest", saml), ("idpConfig.idpCertificates.x509Certificate", saml),
    ("spConfig.spEntityId", saml), ("spConfig.callbackUri", saml), ("spConfig.spCertificates", saml),
  ]

  private static let rows: [ResourceKind: [(String, Outcome)]] = [
    .project: shared + secondFactors("mfa") + projects, .tenant: shared + secondFactors("mfaConfig") + tenants,
    .oauthIdpConfig: openID, .inboundSamlConfig: samls,
  ]

  /// A server with an administrator, and a document of each kind.
  private struct Place {
    let scene: ServerScene
    private let bearer: String
    private let tenant: String

    init(isEmulator: Bool = false, _ adjust: (inout LocalOptions) -> Void = { _ in }) async throws {
      let scene = ServerScene(isEmulator: isEmulator, adjust)
      let bearer = isEmulator ? "owner" : try await KeyFile(scene).accessToken(scene)
      (self.scene, self.bearer) = (scene, bearer)
      func send(_ path: String, _ json: String) async -> Reply {
        let headers: TransportHeaders = ["Authorization": "Bearer \(bearer)"]
        return await scene.send(
          ServerRequest("POST", "/v2/projects/local/\(path)", headers: headers, body: Array(json.utf8)))
      }
      let ways = #"{"allowPasswordSignup":true,"enableAnonymousUser":true,"enableEmailLinkSignin":true}"#
      let made = await send("tenants", ways).resourceID
      tenant = try #require(made)
      let openID = #"{"clientId":"c","issuer":"https://idp.example","enabled":true}"#
      #expect(await send("oauthIdpConfigs?oauthIdpConfigId=oidc.x", openID).status == 200)
      let saml = #"""
        {"idpConfig":{"idpEntityId":"i","ssoUrl":"https://idp.example","idpCertificates":[{"x509Certificate":"c"}]},
         "spConfig":{"spEntityId":"s"}}
        """#
      #expect(await send("inboundSamlConfigs?inboundSamlConfigId=saml.x", saml).status == 200)
    }

    var tenantID: String { tenant }

    func send(_ method: String, _ kind: ResourceKind, _ json: String = "", mask: String? = nil) async -> Reply {
      let path =
        switch kind {
        case .project: "config"
        case .tenant: "tenants/\(tenant)"
        case .oauthIdpConfig: "oauthIdpConfigs/oidc.x"
        case .inboundSamlConfig: "inboundSamlConfigs/saml.x"
        }
      let query = mask.map { "?updateMask=\($0)" } ?? ""
      return await scene.send(
        ServerRequest(
          method, "/v2/projects/local/\(path)\(query)", headers: ["Authorization": "Bearer \(bearer)"],
          body: Array(json.utf8)))
    }

    func patch(_ kind: ResourceKind, _ path: String, _ value: JSONValue, mask: String? = nil) async -> Reply {
      await send(
        "PATCH", kind, "\(ConfigurationMembersTests.document(path.split(separator: ".")[...], value))", mask: mask)
    }
  }

  /// The document with one member.
  private static func document(_ path: ArraySlice<Substring>, _ value: JSONValue) -> JSONValue {
    guard let name = path.first else { return value }
    let inner = document(path.dropFirst(), value)
    let isList = ["passwordPolicyVersions", "providerConfigs", "idpCertificates"].contains(name) && path.count > 1
    return .object([String(name): isList ? [inner] : inner])
  }

  @Test(arguments: ResourceKind.allCases)
  func `the table has every member of a configuration, and says what the code does`(kind: ResourceKind) throws {
    let rows = try #require(Self.rows[kind])
    let members = DocumentForm.members(of: kind)
    #expect(Set(members.map(\.path)) == Set(rows.map(\.0)) && members.count == rows.count)
    for member in members {
      switch rows.first(where: { $0.0 == member.path })?.1 {
      case .refused: #expect(member.isMissing, "\(member.path)")
      case .applied: #expect(!member.isMissing && !member.isOnlyStored, "\(member.path)")
      case .kept: #expect(!member.isMissing, "\(member.path)")
      case nil: Issue.record("\(member.path) has no row")
      }
    }
  }

  @Test func `the tests that prove that a member is applied exist`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    for case .applied(let proof) in Self.rows.values.joined().map(\.1) {
      let parts = proof.split(separator: "/", maxSplits: 1)
      let text = try String(contentsOf: folder.appending(path: "\(parts[0]).swift"), encoding: .utf8)
      #expect(text.contains("func `\(parts[1])`"), "\(proof)")
    }
  }

  @Test func `a member that asks for a protection that is not there is refused, but not at an emulator`() async throws {
    let real = try await Place(), emulator = try await Place(isEmulator: true)
    for (kind, rows) in Self.rows {
      for case (let path, .refused(let values, let harmless)) in rows {
        for value in values {
          let before = await real.send("GET", kind).json
          for mask in [nil, path, String(path.prefix { $0 != "." })] where mask?.contains("providerConfigs") != true {
            let reply = await real.patch(kind, path, value, mask: mask)
            #expect(reply.status == 400, "\(path) \(value)")
            #expect(reply.message?.hasPrefix("INVALID_CONFIG : \(path)") == true, "\(reply.message ?? "")")
          }
          #expect(await real.send("GET", kind).json == before)
          #expect(await emulator.patch(kind, path, value).status == 200, "\(path) \(value)")
        }
        for value in harmless {
          let reply = await real.patch(kind, path, value)
          #expect(reply.status == 200, "\(path) \(value): \(reply.message ?? "")")
        }
        // A mask may remove it, and a body may have it where the mask names another member.
        let isInList = path.contains("providerConfigs")
        #expect(await real.send("PATCH", kind, "{}", mask: path).status == (isInList ? 400 : 200), "\(path)")
        #expect(await real.patch(kind, path, values[0], mask: "displayName").status == 200, "\(path)")
      }
    }
  }

  @Test func `a member that protects nothing is kept as it was written`() async throws {
    let place = try await Place()
    for (kind, rows) in Self.rows {
      for case (let path, .kept) in rows where !["name", "displayName", "authorizedDomains"].contains(path) {
        let last = path.split(separator: ".").last ?? ""
        let value: JSONValue =
          ["enabled", "idToken", "code", "token", "signRequest"].contains(last) ? true : "https://x"
        guard !path.contains("idpCertificates"), !path.contains("passwordPolicyVersions") else { continue }
        let reply = await place.patch(kind, path, value, mask: path)
        #expect(reply.status == 200, "\(path): \(reply.message ?? "")")
        let read = path.split(separator: ".").reduce(JSONValue.object(reply.json)) { $0[String($1)] ?? .null }
        #expect(read == value, "\(path)")
      }
    }
  }

  @Test(arguments: ResourceKind.allCases)
  func `a member that is unknown could be a protection, and is refused`(kind: ResourceKind) async throws {
    let place = try await Place(), emulator = try await Place(isEmulator: true)
    for path in ["blockEveryone", "passwordPolicyConfig.breachCheck", "smsRegionConfig.blockList", "spConfig.strict"] {
      let reply = await place.patch(kind, path, true)
      #expect(reply.message?.contains("is no member that this server knows") == true, "\(reply.message ?? "")")
    }
    #expect(await emulator.patch(kind, "blockEveryone", true).status == 200)
  }

  @Test func `authorized domains are the owner's, and a client may send back what it has read`() async throws {
    let place = try await Place()
    let own: JSONValue = ["localhost", "127.0.0.1"]
    #expect(await place.patch(.project, "authorizedDomains", own).status == 200)
    for domains: JSONValue in [["shop.example"], [], ["127.0.0.1", "localhost"], "localhost"] {
      let reply = await place.patch(.project, "authorizedDomains", domains)
      #expect(reply.message?.hasPrefix("INVALID_CONFIG : authorizedDomains is set by the provider's owner") == true)
    }
  }

  @Test(arguments: [true, false])
  func `a password that does not meet the policy signs in no more where that is asked`(isTenants: Bool) async throws {
    let place = try await Place()
    let member = isTenants ? #","tenantId":"\#(place.tenantID)""# : ""
    let account = #"{"email":"ada@example.com","password":"correct horse"\#(member)}"#
    #expect(await place.scene.post("/v1/accounts:signUp", account).status == 200)
    func signIn(_ password: String = "correct horse") async -> Reply {
      await place.scene.post(
        "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"\#(password)"\#(member)}"#)
    }
    func set(_ state: String, _ forces: Bool) async -> Int {
      let policy = #""passwordPolicyEnforcementState":"\#(state)","forceUpgradeOnSignin":\#(forces)"#
      let rules = #"[{"customStrengthOptions":{"containsNumericCharacter":true}}]"#
      let json = #"{"passwordPolicyConfig":{\#(policy),"passwordPolicyVersions":\#(rules)}}"#
      return await place.send("PATCH", isTenants ? .tenant : .project, json).status
    }
    #expect(await set("ENFORCE", false) == 200)
    #expect(await signIn().status == 200)
    #expect(await set("ENFORCE", true) == 200)
    #expect(await signIn().message == "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : reset it: it needs a digit")
    #expect(await signIn("wrong horse").message == "INVALID_LOGIN_CREDENTIALS", "only the right password is told")
    let policy = await place.scene.get("/v2/passwordPolicy?key=k" + (isTenants ? "&tenantId=\(place.tenantID)" : ""))
    #expect(policy.json["forceUpgradeOnSignin"]?.bool == true)
    #expect(await set("OFF", true) == 200)
    #expect(await signIn().status == 200)
  }

  @Test func `a password may be too long for a policy`() async throws {
    let place = try await Place()
    let rules = #"[{"customStrengthOptions":{"maxPasswordLength":10}}]"#
    let policy = #"{"passwordPolicyEnforcementState":"ENFORCE","passwordPolicyVersions":\#(rules)}"#
    #expect(await place.send("PATCH", .project, #"{"passwordPolicyConfig":\#(policy)}"#).status == 200)
    let refused = await place.scene.signUp("ada@example.com", "correct horse").message
    #expect(refused?.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") == true)
    #expect(await place.scene.signUp("ada@example.com", "horse 1234").status == 200)
  }

  @Test func `a tenant hides its addresses where its document or the project asks for that`() async throws {
    let place = try await Place { $0.enumerationProtection = false }
    func word(_ isTenants: Bool) async -> String? {
      let member = isTenants ? #","tenantId":"\#(place.tenantID)""# : ""
      return await place.scene.post(
        "/v1/accounts:signInWithPassword", #"{"email":"no@example.com","password":"wrong1"\#(member)}"#
      ).message
    }
    let path = "emailPrivacyConfig.enableImprovedEmailPrivacy"
    #expect(await word(true) == "EMAIL_NOT_FOUND")
    #expect(await place.patch(.tenant, path, true).status == 200)
    #expect(await word(true) == "INVALID_LOGIN_CREDENTIALS")
    #expect(await word(false) == "EMAIL_NOT_FOUND")
    let uri = #"{"identifier":"no@example.com","continueUri":"http://localhost","tenantId":"\#(place.tenantID)"}"#
    #expect(await place.scene.post("/v1/accounts:createAuthUri", uri).json["registered"] == nil)
    let reset = #"{"requestType":"PASSWORD_RESET","email":"no@example.com","tenantId":"\#(place.tenantID)"}"#
    #expect(await place.scene.post("/v1/accounts:sendOobCode", reset).message?.hasPrefix("EMAIL_NOT_FOUND") != true)
    #expect(await place.patch(.tenant, path, false).status == 200)
    #expect(await word(true) == "EMAIL_NOT_FOUND")
    #expect(await place.patch(.project, path, true).status == 200)
    #expect(await word(true) == "INVALID_LOGIN_CREDENTIALS", "a tenant's own false takes nothing away")
  }
}
