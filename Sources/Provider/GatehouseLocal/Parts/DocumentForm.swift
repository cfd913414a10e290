import GatehouseBase
import IdentityToolkit

/// The one form in which the documents of administrators are stored.
///
/// As in every request, the name of a member may be in snake case, a Boolean and a number may be a string, and a value
/// of an enumeration may be its number. A member that has an effect here and cannot be read is refused: stored as it
/// came, it would have no effect, and the protection that it asks for would be missing. Members without an effect stay
/// as they are.
indirect enum DocumentForm: Sendable {
  case bool
  case number
  case text
  /// A value of an enumeration: its names, in the order of their numbers.
  case choice([String])
  case object([String: DocumentForm])
  case list(DocumentForm)
  /// A value that is only stored.
  case any

  /// The form of a kind of document.
  static func of(_ kind: ResourceKind) -> DocumentForm {
    switch kind {
    case .project: project
    case .tenant: tenant
    case .oauthIdpConfig: openIDConnect
    case .inboundSamlConfig: saml
    }
  }

  /// Returns a document in its one form.
  ///
  /// - Throws: `INVALID_CONFIG` for a member that cannot be read.
  func normal(_ document: JSONObject) throws(AuthError) -> JSONObject {
    try normal(.object(document), "").object ?? [:]
  }

  /// Returns the names of a path in a document in their one spelling.
  func normal(path: [String]) -> [String] {
    guard let first = path.first, case .object(let members) = self else { return path }
    let name = members[first.camelCased] == nil ? first : first.camelCased
    return [name] + (members[name] ?? .any).normal(path: Array(path.dropFirst()))
  }

  private func normal(_ value: JSONValue, _ path: String) throws(AuthError) -> JSONValue {
    func refused(_ advice: String) -> AuthError {
      AuthError(.invalidArgument, "\(path) must be \(advice)", server: .invalidConfig)
    }
    switch self {
    case .any: return value
    case .bool:
      if value.bool != nil { return value }
      guard let text = value.string, let bool = Bool(text) else { throw refused("true or false") }
      return .bool(bool)
    case .number:
      if value.integer != nil { return value }
      guard let text = value.string, let number = Int64(text) else { throw refused("a whole number") }
      return .number(JSONNumber(number))
    case .text:
      guard value.string != nil else { throw refused("a text") }
      return value
    case .choice(let names):
      if let text = value.string, names.contains(text) { return value }
      guard let number = value.integer, names.indices.contains(Int(clamping: number)) else {
        throw refused("one of \(names.joined(separator: ", "))")
      }
      return .string(names[Int(number)])
    case .list(let form):
      guard let items = value.array else { throw refused("a list") }
      var normal: [JSONValue] = []
      for item in items { normal.append(try form.normal(item, path)) }
      return .array(normal)
    case .object(let members):
      guard let object = value.object else { throw refused("an object") }
      return .object(try Self.normal(object, members, path))
    }
  }

  private static func normal(
    _ object: JSONObject, _ members: [String: DocumentForm], _ path: String
  ) throws(AuthError) -> JSONObject {
    var normal = object
    var seen: [String: String] = [:]
    let lowercased = Dictionary(uniqueKeysWithValues: members.keys.map { ($0.lowercased(), $0) })
    for member in object.members {
      let name = member.name.camelCased
      let place = path.isEmpty ? name : "\(path).\(name)"
      func refused(_ advice: String) -> AuthError {
        AuthError(.invalidArgument, "\(member.name.printable()) \(advice)", server: .invalidConfig)
      }
      guard let form = members[name] else {
        if let meant = lowercased[name.lowercased()] { throw refused("is no member; did you mean \(meant)?") }
        continue
      }
      if let other = seen.updateValue(member.name, forKey: name) {
        throw refused("and \(other) are the same member; send one of them")
      }
      normal[member.name] = nil
      if !member.value.isNull { normal[name] = try form.normal(member.value, place) }
    }
    return normal
  }
}

// The members that have an effect.
// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v2/Config and the pages beside it
extension DocumentForm {
  private static let passwordPolicy = DocumentForm.object([
    "passwordPolicyEnforcementState": .choice(["PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED", "OFF", "ENFORCE"]),
    "forceUpgradeOnSignin": .bool,
    "passwordPolicyVersions": .list(
      .object([
        "customStrengthOptions": .object([
          "minPasswordLength": .number, "maxPasswordLength": .number, "containsLowercaseCharacter": .bool,
          "containsUppercaseCharacter": .bool, "containsNumericCharacter": .bool,
          "containsNonAlphanumericCharacter": .bool,
        ])
      ])),
  ])

  private static let secondFactorState = DocumentForm.choice(["STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY"])

  private static let secondFactors = DocumentForm.object([
    "state": secondFactorState, "enabledProviders": .list(.choice(["PROVIDER_UNSPECIFIED", "PHONE_SMS"])),
    "providerConfigs": .list(
      .object([
        "state": .choice(["MFA_STATE_UNSPECIFIED", "DISABLED", "ENABLED", "MANDATORY"]),
        "totpProviderConfig": .object(["adjacentIntervals": .number]),
      ])),
  ])

  private static let regions = DocumentForm.object(["allowByDefault": .any, "allowlistOnly": .any])

  private static let project = DocumentForm.object([
    "name": .any, "authorizedDomains": .any, "signIn": .object(["allowDuplicateEmails": .bool]),
    "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .bool]), "passwordPolicyConfig": passwordPolicy,
    "mfa": secondFactors, "smsRegionConfig": regions,
  ])

  private static let tenant = DocumentForm.object([
    "name": .any, "displayName": .text, "allowPasswordSignup": .bool, "enableEmailLinkSignin": .bool,
    "enableAnonymousUser": .bool, "disableAuth": .bool, "passwordPolicyConfig": passwordPolicy,
    "mfaConfig": secondFactors, "smsRegionConfig": regions, "testPhoneNumbers": .any,
  ])

  private static let openIDConnect = DocumentForm.object([
    "name": .any, "displayName": .text, "enabled": .bool, "clientId": .text, "issuer": .text, "clientSecret": .text,
    "responseType": .object(["idToken": .bool, "code": .bool, "token": .bool]),
  ])

  private static let saml = DocumentForm.object([
    "name": .any, "displayName": .text, "enabled": .bool,
    "idpConfig": .object([
      "idpEntityId": .text, "ssoUrl": .text, "signRequest": .bool,
      "idpCertificates": .list(.object(["x509Certificate": .text])),
    ]),
    "spConfig": .object(["spEntityId": .text, "callbackUri": .text]),
  ])
}

extension JSONObject {
  /// The document without its name, which only the provider sets.
  var nameless: JSONObject {
    var document = self
    document["name"] = nil
    return document
  }
}
