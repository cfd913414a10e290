import GatehouseBase
import GatehouseLocal
import Logging

extension Route {
  /// The routes from which service accounts get access tokens (RFC 7523), at the server's own path and at Google's.
  static let ofTokens: [Route] = tokenPaths.map { open("POST", $0) { try await $0.giveAccessToken() } }

  private static let tokenPaths = ["/token", "/oauth2.googleapis.com/token"]

  /// The accepted audiences of an assertion, besides the token URL in its account's file.
  fileprivate static func audiences(_ options: ServerOptions) -> [String] {
    [google] + (options.publicURL.map { url in tokenPaths.map { url + $0 } } ?? [])
  }

  /// The audience that google-auth uses for every assertion, whatever the file says.
  private static let google = "https://oauth2.googleapis.com/token"
}

extension RoutedRequest {
  /// The one text for all assertions that are not a service account's, so that it tells neither accounts nor keys.
  private static let unsigned = "the assertion is not signed with a key of a service account of this project"

  fileprivate func giveAccessToken() async throws -> ServerResponse {
    guard request.isForm, let items = try? request.form(scene.options.json), let grant = items.only("grant_type")
    else { return .oauthError("invalid_request", "send a form with grant_type and assertion, each of them once") }
    guard grant.isExactly("urn:ietf:params:oauth:grant-type:jwt-bearer") else {
      return .oauthError("unsupported_grant_type", "grant_type must be urn:ietf:params:oauth:grant-type:jwt-bearer")
    }
    guard let assertion = items.only("assertion"), !assertion.isEmpty else {
      return .oauthError("invalid_request", "assertion is missing, or there more than once")
    }
    do throws(AuthError) {
      let token = try await scene.provider.accessToken(
        for: Secret(assertion), audiences: Route.audiences(scene.options), from: caller)
      return ServerResponse(json: [
        "access_token": .string(token.revealed), "token_type": "Bearer",
        "expires_in": .number(JSONNumber(LocalBackend.accessTokenLifetime.wholeSeconds)),
      ])
    } catch {
      guard !Refusal.isFailure(error) else { throw error }
      scene.options.logger.debug("\(request) got no access token: \(error)")
      return .oauthError("invalid_grant", error.isAboutSignedClaims ? error.message : Self.unsigned)
    }
  }
}

extension [(name: String, value: String)] {
  /// Returns the value of an item that occurs exactly once. Of two items, two readers could use different ones.
  fileprivate func only(_ name: String) -> String? {
    let found = filter { $0.name.isExactly(name) }
    return found.count == 1 ? found[0].value : nil
  }
}

extension ServerResponse {
  /// Returns an error in OAuth's format (RFC 6749 §5.2).
  fileprivate static func oauthError(_ word: String, _ description: String) -> ServerResponse {
    ServerResponse(status: 400, json: ["error": .string(word), "error_description": .string(description)])
  }
}
