import GatehouseBase
import GatehouseLocal

extension SettingValues {
  /// Returns the identity providers that are enabled.
  func identityProviders() throws(AuthError) -> [IdentityProvider] {
    var providers: [IdentityProvider] = []
    for name in list(SettingFamily.identityProviders.listKey) ?? [] {
      let key = "identityProviders.\(name)"
      var provider = try identityProvider(name, key)
      if let isTrusted = flag("\(key).isTrustedWithEmail") { provider.isTrustedWithEmail = isTrusted }
      if let timeout = duration("\(key).timeout") { provider.timeout = timeout }
      providers.append(provider)
    }
    return providers
  }

  private func identityProvider(_ name: String, _ key: String) throws(AuthError) -> IdentityProvider {
    let list = SettingFamily.identityProviders.listKey
    func required(_ part: String) throws(AuthError) -> String { try self.required("\(key).\(part)", by: list, name) }
    func clientIDs() throws(AuthError) -> [String] { try requiredList("\(key).clientIDs", by: list, name) }
    let api = text("\(key).api")
    switch name {
    case "google.com": return .google(clientIDs: try clientIDs())
    case "apple.com": return .apple(clientIDs: try clientIDs())
    case "github.com":
      let (client, secret) = (try required("clientID"), Secret(try required("clientSecret")))
      return api.map { .gitHub(clientID: client, clientSecret: secret, api: $0) }
        ?? .gitHub(clientID: client, clientSecret: secret)
    case "facebook.com":
      let (app, secret) = (try required("appID"), Secret(try required("appSecret")))
      return api.map { .facebook(appID: app, appSecret: secret, api: $0) } ?? .facebook(appID: app, appSecret: secret)
    case "twitter.com":
      let (consumer, secret) = (try required("consumerKey"), Secret(try required("consumerSecret")))
      return api.map { .twitter(consumerKey: consumer, consumerSecret: secret, api: $0) }
        ?? .twitter(consumerKey: consumer, consumerSecret: secret)
    default:
      guard text("\(key).userInfo.url") != nil else {
        try refuse(keys(below: "\(key).userInfo"), "\(key).userInfo.url is not set")
        return .openIDConnect(name, issuer: try required("issuer"), clientIDs: try clientIDs())
      }
      try refuse(["\(key).issuer", "\(key).clientIDs"], "\(key).userInfo.url is set")
      return .userInfo(name, try userInfoEndpoint("\(key).userInfo"))
    }
  }

  private func userInfoEndpoint(_ key: String) throws(AuthError) -> UserInfoEndpoint {
    let check: AccessTokenCheck
    if try required("\(key).check", by: "\(key).url", "\(key).url") == "introspection" {
      func part(_ name: String) throws(AuthError) -> String {
        try required("\(key).\(name)", by: "\(key).check", "\(key).check introspection")
      }
      check = .introspection(
        url: try part("introspectionURL"), clientID: try part("clientID"),
        clientSecret: Secret(try part("clientSecret")))
    } else {
      try refuse(
        ["introspectionURL", "clientID", "clientSecret"].map { "\(key).\($0)" }, "\(key).check is tokensOfAnyApp")
      check = .tokensOfAnyApp
    }
    var members = UserInfoEndpoint.Members()
    members.subject = text("\(key).subject") ?? members.subject
    members.email = text("\(key).email") ?? members.email
    members.emailVerified = text("\(key).emailVerified") ?? members.emailVerified
    members.name = text("\(key).name") ?? members.name
    members.picture = text("\(key).picture") ?? members.picture
    members.username = text("\(key).username") ?? members.username
    return UserInfoEndpoint(url: try required("\(key).url", by: key, key), check: check, members: members)
  }
}
