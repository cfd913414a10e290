import GatehouseBase
import GatehouseLocal
import IdentityToolkit

extension Route {
  /// The pages that Firebase's JavaScript SDK opens for popups and redirects. They have no `X-Frame-Options`, because
  /// the SDK shows one in a frame, and no `Cross-Origin-Opener-Policy`, which would separate a popup from its app.
  static var ofEmulatorPages: [Route] {
    [
      open("GET", "/emulator/auth/handler") { try await $0.handlerPage() },
      open("GET", "/emulator/auth/iframe") { try $0.framePage() },
    ]
  }
}

extension RoutedRequest {
  private static let authTypes = [
    "signInViaPopup", "linkViaPopup", "reauthViaPopup", "signInViaRedirect", "linkViaRedirect", "reauthViaRedirect",
  ]
  /// The maximum number of users that the page lists.
  private static let mostUsers = 1000

  private var origins: EmulatorOrigins {
    EmulatorOrigins(scene.options.emulatorOrigins, publicURL: scene.options.publicURL)
  }

  /// Returns the page in which a user of an identity provider is chosen. Refuses to lead to a page that may not use the
  /// emulator.
  fileprivate func handlerPage() async throws -> ServerResponse {
    guard origins.allowNavigation(request) else { throw Refusal.foreignPage }
    guard let key = text("apiKey"), let provider = text("providerId") else {
      throw Refusal.invalid("apiKey and providerId must be in the query")
    }
    guard let authType = text("authType"), Self.authTypes.contains(authType) else {
      throw Refusal.invalid("authType must be one of \(Self.authTypes.joined(separator: ", "))")
    }
    let page = text("redirectUrl")
    if let page { guard origins.allow(page: page) else { throw Refusal.foreignPage } }
    guard page != nil || authType.hasSuffix("ViaPopup") else {
      throw Refusal.invalid("redirectUrl must be in the query of a redirect")
    }
    let tenant = text("tid")
    let users = try await scene.provider.identities(
      of: provider, inTenant: tenant ?? "", limit: Self.mostUsers, by: .emulator)
    return try EmulatorPage.handler.response(data: [
      "apiKey": .string(key), "appName": .string(text("appName") ?? ""), "providerId": .string(provider),
      "authType": .string(authType), "eventId": .text(text("eventId")), "tenantId": .text(tenant),
      "redirectUrl": .text(page), "accounts": .array(users.map(Self.claims)),
    ])
  }

  fileprivate func framePage() throws -> ServerResponse {
    guard origins.allowNavigation(request) else { throw Refusal.foreignPage }
    return try EmulatorPage.frame.response()
  }

  /// Returns an item of the query that is not empty.
  private func text(_ name: String) -> String? { item(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the claims of a user in an ID token.
  private static func claims(of user: Account.ProviderUserInfo) -> JSONValue {
    var claims: JSONObject = ["sub": .string(user.rawId ?? "")]
    claims["email"] = user.email.map(JSONValue.string)
    claims["name"] = user.displayName.map(JSONValue.string)
    claims["picture"] = user.photoUrl.map(JSONValue.string)
    return .object(claims)
  }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
