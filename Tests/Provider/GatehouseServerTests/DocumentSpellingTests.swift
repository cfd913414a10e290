import GatehouseBase
import GatehouseServer
import Testing

/// A setting of an administrator is in force, however it is spelled, or it is refused: one that is stored without
/// effect would leave a protection out that its owner believes in.
struct DocumentSpellingTests {
  /// A member with an effect, and a call that it refuses.
  struct Setting: Sendable, CustomTestStringConvertible {
    let path: String
    let value: JSONValue
    /// The numbers of the value in an enumeration.
    var number: Int?
    var isProjects = true
    var beside: JSONObject = [:]
    var refused = Refused.weakPassword
    var testDescription: String { path }
  }

  enum Refused: Sendable { case weakPassword, password, anonymous, everything, unknownAddress }

  private static let state = "passwordPolicyConfig.passwordPolicyEnforcementState"
  private static let strength = "passwordPolicyConfig.passwordPolicyVersions.customStrengthOptions"
  static let settings: [Setting] = [
    Setting(path: "emailPrivacyConfig.enableImprovedEmailPrivacy", value: true, refused: .unknownAddress),
    Setting(path: state, value: "ENFORCE", number: 2, beside: demand("minPasswordLength", 12)),
    Setting(path: "\(strength).minPasswordLength", value: 12, beside: enforced),
    Setting(path: "\(strength).containsNumericCharacter", value: true, beside: enforced),
    Setting(path: "\(strength).containsUppercaseCharacter", value: true, beside: enforced),
    Setting(path: "\(strength).containsNonAlphanumericCharacter", value: true, beside: enforced),
    Setting(path: "disableAuth", value: true, isProjects: false, refused: .everything),
    Setting(path: "allowPasswordSignup", value: false, isProjects: false, refused: .password),
    Setting(path: "enableAnonymousUser", value: false, isProjects: false, refused: .anonymous),
    Setting(path: state, value: "ENFORCE", number: 2, isProjects: false, beside: demand("minPasswordLength", 12)),
    Setting(path: "\(strength).minPasswordLength", value: 12, isProjects: false, beside: enforced),
  ]

  private static var enforced: JSONObject {
    ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "ENFORCE"]]
  }

  private static func demand(_ name: String, _ value: JSONValue) -> JSONObject {
    ["passwordPolicyConfig": ["passwordPolicyVersions": [["customStrengthOptions": .object([name: value])]]]]
  }

  @Test(arguments: settings)
  func `a setting in any spelling is in force or refused`(setting: Setting) async throws {
    let text = setting.value.string ?? "\(setting.value)"
    var values: [JSONValue] = [setting.value, .string(text), .string(text.lowercased() + "d"), [setting.value], [:]]
    if let number = setting.number { values += [.number(JSONNumber(number)), .number(JSONNumber(number + 7))] }
    for value in values {
      for spelling in [\String.self, \String.snakeCased, \String.capitalizedFirst] {
        let scene = ServerScene(isEmulator: true) { $0.enumerationProtection = false }
        let document = Self.document(setting, value, spelling)
        let (tenant, status) = try await Self.configure(scene, document, setting)
        let isRefused = status == 400
        #expect(isRefused || status == 200, "\(document)")
        let isInForce = try await Self.refuses(setting.refused, scene, tenant)
        #expect(isRefused || isInForce, "accepted without effect: \(document)")
        if value == setting.value || value == .string(text), spelling != \String.capitalizedFirst {
          #expect(isInForce, "refused: \(document)")
        }
      }
    }
  }

  @Test(arguments: [
    #"{"disableAuth":true,"disable_auth":false}"#, #"{"disableAuth":1}"#, #"{"passwordPolicyConfig":"ENFORCE"}"#,
    #"{"passwordPolicyConfig":[]}"#, #"{"mfaConfig":{"state":"ON"}}"#, #"{"mfa_config":{"state":9}}"#,
    #"{"displayName":["x"]}"#, #"{"mfaConfig":{"enabledProviders":"PHONE_SMS"}}"#,
  ])
  func `what cannot be read is refused, and changes nothing`(document: String) async throws {
    let scene = ServerScene(isEmulator: true)
    let refused = await Self.owner(scene, "POST", "/v2/projects/local/tenants", document)
    #expect(refused.status == 400 && refused.message?.hasPrefix("INVALID_CONFIG") == true, "\(document): \(refused)")
    #expect(await Self.owner(scene, "GET", "/v2/projects/local/tenants", "").json["tenants"] == nil)
  }

  @Test func `a mask and a body may be spelled apart`() async throws {
    let scene = ServerScene(isEmulator: true)
    let made = await Self.owner(scene, "POST", "/v2/projects/local/tenants", #"{"disableAuth":true}"#)
    let path = "/v2/" + (made["name"] ?? "")
    for (mask, body) in [("disableAuth", "disable_auth"), ("disable_auth", "disableAuth")] {
      let changed = await Self.owner(scene, "PATCH", "\(path)?updateMask=\(mask)", #"{"\#(body)":true}"#)
      #expect(changed.status == 200 && changed.json["disableAuth"]?.bool == true, "\(mask) \(body) \(changed)")
    }
    let off = await Self.owner(scene, "PATCH", "\(path)?updateMask=disable_auth", "{}")
    #expect(off.status == 200 && off.json["disableAuth"] == nil)
  }

  // MARK: Helpers

  private static func owner(_ scene: ServerScene, _ method: String, _ path: String, _ json: String) async -> Reply {
    await scene.send(
      ServerRequest(method, path, headers: ["Authorization": "Bearer owner"], body: Array(json.utf8)))
  }

  /// The document with the setting, in which every name is spelled in this way.
  private static func document(
    _ setting: Setting, _ value: JSONValue, _ spelling: KeyPath<String, String>
  ) -> JSONObject {
    func set(_ path: ArraySlice<Substring>, in object: JSONObject) -> JSONObject {
      guard let name = path.first.map(String.init) else { return object }
      var object = object
      guard path.count > 1 else {
        object[name] = value
        return object
      }
      if name == "passwordPolicyVersions" {
        object[name] = [.object(set(path.dropFirst(), in: object[name]?.array?.first?.object ?? [:]))]
      } else {
        object[name] = .object(set(path.dropFirst(), in: object[name]?.object ?? [:]))
      }
      return object
    }
    func spelled(_ value: JSONValue) -> JSONValue {
      if let object = value.object {
        var new: JSONObject = [:]
        for member in object.members { new[member.name[keyPath: spelling]] = spelled(member.value) }
        return .object(new)
      }
      return value.array.map { .array($0.map(spelled)) } ?? value
    }
    return spelled(.object(set(setting.path.split(separator: ".")[...], in: setting.beside))).object ?? [:]
  }

  private static func configure(
    _ scene: ServerScene, _ document: JSONObject, _ setting: Setting
  ) async throws -> (tenant: String?, status: Int) {
    if setting.isProjects {
      return (nil, await owner(scene, "PATCH", "/v2/projects/local/config", "\(document)").status)
    }
    let open = #"{"allowPasswordSignup":true,"enableAnonymousUser":true}"#
    let made = await owner(scene, "POST", "/v2/projects/local/tenants", open)
    let path = "/v2/" + (made["name"] ?? "")
    let changed = await owner(scene, "PATCH", path, "\(document)")
    return (path.split(separator: "/").last.map(String.init), changed.status)
  }

  /// Whether the scene refuses a call that the setting forbids.
  private static func refuses(_ what: Refused, _ scene: ServerScene, _ tenant: String?) async throws -> Bool {
    let member = tenant.map { #","tenantId":"\#($0)""# } ?? ""
    func signUp(_ members: String) async -> Reply { await scene.post("/v1/accounts:signUp", "{\(members)\(member)}") }
    switch what {
    case .weakPassword:
      let message = await signUp(#""email":"a@example.com","password":"abcdefg""#).message ?? ""
      return message.hasPrefix("WEAK_PASSWORD") || message.hasPrefix("PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    case .password, .everything: return await signUp(#""email":"a@example.com","password":"abcdefg""#).status == 400
    case .anonymous: return await signUp(#""returnSecureToken":true"#).status == 400
    case .unknownAddress:
      let reply = await scene.post(
        "/v1/accounts:signInWithPassword", #"{"email":"none@example.com","password":"abcdefg"}"#)
      return reply.message == "INVALID_LOGIN_CREDENTIALS"
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
