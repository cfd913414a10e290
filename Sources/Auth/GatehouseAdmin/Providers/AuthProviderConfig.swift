public import GatehouseBase
import IdentityToolkit

/// An identity provider's configuration.
public enum AuthProviderConfig: Sendable, Hashable {
  /// The kinds of identity providers.
  public enum Kind: Sendable, Hashable {
    /// OpenID Connect.
    case oidc
    /// SAML.
    case saml

    /// The kind that an identifier belongs to.
    init(of providerID: String) throws(AuthError) {
      if providerID.hasPrefix("oidc.") {
        self = .oidc
      } else if providerID.hasPrefix("saml.") {
        self = .saml
      } else {
        throw AuthError(server: .invalidConfigID)
      }
    }

    var resource: ResourceKind { self == .oidc ? .oauthIdpConfig : .inboundSamlConfig }
  }

  /// An OpenID Connect provider.
  case oidc(OIDCProviderConfig)
  /// A SAML provider.
  case saml(SAMLProviderConfig)

  /// The provider's identifier, which starts with its kind: `oidc.…` or `saml.…`.
  public var providerID: String {
    switch self {
    case .oidc(let config): config.providerID
    case .saml(let config): config.providerID
    }
  }

  init(_ kind: Kind, _ json: JSONObject) throws(AuthError) {
    let id = try json.resourceID()
    self = kind == .oidc ? .oidc(OIDCProviderConfig(id, json)) : .saml(SAMLProviderConfig(id, json))
  }

  /// The configuration in the protocol's form.
  var json: JSONObject {
    switch self {
    case .oidc(let config): config.json
    case .saml(let config): config.json
    }
  }

  /// The fields that `json` sets: a field that it leaves out is removed.
  var mask: [String] {
    switch self {
    case .oidc(let config): config.mask
    case .saml: SAMLProviderConfig.mask
    }
  }
}

/// An OpenID Connect provider.
public struct OIDCProviderConfig: Sendable, Hashable {
  /// The provider's identifier: `oidc.` and a name of your choice.
  public var providerID: String
  /// The name shown to administrators.
  public var displayName: String?
  /// Whether users can sign in with the provider.
  public var isEnabled: Bool
  /// The project's identifier at the provider.
  public var clientID: String
  /// The provider's URL, as given in its tokens.
  public var issuer: String
  /// The project's secret at the provider, for the code flow; `nil` keeps the existing secret.
  public var clientSecret: Secret?
  /// Whether the provider answers with an ID token.
  public var answersIDToken: Bool
  /// Whether the provider answers with a code, which the project redeems with its secret.
  public var answersCode: Bool

  /// Makes a provider that is enabled, and answers with an ID token.
  public init(providerID: String, clientID: String, issuer: String) {
    self.providerID = providerID
    self.clientID = clientID
    self.issuer = issuer
    isEnabled = true
    answersIDToken = true
    answersCode = false
  }

  init(_ id: String, _ json: JSONObject) {
    providerID = id
    displayName = json["displayName"]?.string
    isEnabled = json["enabled"]?.bool ?? false
    clientID = json["clientId"]?.string ?? ""
    issuer = json["issuer"]?.string ?? ""
    clientSecret = json["clientSecret"]?.string.map { Secret($0) }
    answersIDToken = json["responseType"]?["idToken"]?.bool ?? false
    answersCode = json["responseType"]?["code"]?.bool ?? false
  }

  var json: JSONObject {
    var json: JSONObject = [
      "enabled": .bool(isEnabled), "clientId": .string(clientID), "issuer": .string(issuer),
      "responseType": ["idToken": .bool(answersIDToken), "code": .bool(answersCode)],
    ]
    json["displayName"] = displayName.map(JSONValue.string)
    json["clientSecret"] = clientSecret.map { .string($0.revealed) }
    return json
  }

  var mask: [String] {
    // A server may withhold the secret; then the configuration that was read has none.
    ["displayName", "enabled", "clientId", "issuer", "responseType.idToken", "responseType.code"]
      + (clientSecret == nil ? [] : ["clientSecret"])
  }
}

/// A SAML provider.
public struct SAMLProviderConfig: Sendable, Hashable {
  /// The provider's identifier: `saml.` and a name of your choice.
  public var providerID: String
  /// The name shown to administrators.
  public var displayName: String?
  /// Whether users can sign in with the provider.
  public var isEnabled: Bool
  /// The provider's entity identifier.
  public var idpEntityID: String
  /// The URL at which users sign in.
  public var ssoURL: String
  /// The provider's certificates, in PEM.
  public var x509Certificates: [String]
  /// The project's entity identifier.
  public var rpEntityID: String
  /// The URL to which the provider sends users back.
  public var callbackURL: String?

  /// Makes a provider that is enabled.
  public init(providerID: String, idpEntityID: String, ssoURL: String, x509Certificates: [String], rpEntityID: String) {
    self.providerID = providerID
    self.idpEntityID = idpEntityID
    self.ssoURL = ssoURL
    self.x509Certificates = x509Certificates
    self.rpEntityID = rpEntityID
    isEnabled = true
  }

  init(_ id: String, _ json: JSONObject) {
    providerID = id
    displayName = json["displayName"]?.string
    isEnabled = json["enabled"]?.bool ?? false
    let idp = json["idpConfig"], sp = json["spConfig"]
    idpEntityID = idp?["idpEntityId"]?.string ?? ""
    ssoURL = idp?["ssoUrl"]?.string ?? ""
    x509Certificates = (idp?["idpCertificates"]?.array ?? []).compactMap { $0["x509Certificate"]?.string }
    rpEntityID = sp?["spEntityId"]?.string ?? ""
    callbackURL = sp?["callbackUri"]?.string
  }

  var json: JSONObject {
    var json: JSONObject = [
      "enabled": .bool(isEnabled),
      "idpConfig": [
        "idpEntityId": .string(idpEntityID), "ssoUrl": .string(ssoURL),
        "idpCertificates": .array(x509Certificates.map { ["x509Certificate": .string($0)] }),
      ],
    ]
    var sp: JSONObject = ["spEntityId": .string(rpEntityID)]
    sp["callbackUri"] = callbackURL.map(JSONValue.string)
    json["spConfig"] = .object(sp)
    json["displayName"] = displayName.map(JSONValue.string)
    return json
  }

  static let mask = [
    "displayName", "enabled", "idpConfig.idpEntityId", "idpConfig.ssoUrl", "idpConfig.idpCertificates",
    "spConfig.spEntityId", "spConfig.callbackUri",
  ]
}

/// A page of the identity providers of a kind.
public struct ProviderConfigPage: Sendable, Hashable {
  /// The providers, in the project's order.
  public let providerConfigs: [AuthProviderConfig]
  /// The token of the next page; `nil` after the last one.
  public let nextPageToken: String?
}
