import GatehouseBase
import GatehouseHTTP
import GatehouseLocal

/// Checks the credentials of a request.
enum Credentials {
  /// Returns the credential of the administrator who has sent the request; `nil` for a request without one.
  ///
  /// - Parameter counts: whether a refusal is counted in the audit log.
  /// - Throws: A refusal of an invalid credential; the reason why the provider cannot check it.
  static func administrator(
    _ request: ServerRequest, _ scene: RouteScene, counting counts: Bool = true
  ) async throws -> AdministratorCredential? {
    guard let header = request.value(of: .authorization) else { return nil }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { throw Refusal.wrongCredential }
    if scene.options.emulator != nil, words[1].lowercased() == "owner" { return .emulator }
    do throws(AuthError) {
      return try await scene.provider.requireAdministrator(
        Secret(String(words[1])), audiences: audiences(scene.options), counting: counts,
        from: Caller(address: request.peer))
    } catch {
      // The reason for the refusal is not revealed, so that it does not help an attacker.
      throw Refusal.isFailure(error) ? error : Refusal.wrongCredential
    }
  }

  /// The accepted audiences of a token that a service account has signed itself.
  private static func audiences(_ options: ServerOptions) -> [String] {
    [google] + (options.publicURL.map { [$0, $0 + "/"] } ?? [])
  }

  /// The audience of such tokens in Google's libraries.
  private static let google = "https://identitytoolkit.googleapis.com/"

  /// Refuses a request with two API keys, because two readers could use different ones. A second header field is
  /// refused before (`SingleField`).
  static func requireOneKey(
    _ request: ServerRequest, _ query: [(name: String, value: String)]
  ) throws(Refusal) {
    let keys = query.count { $0.name.isExactly("key") } + (request.value(of: .apiKey) == nil ? 0 : 1)
    guard keys < 2 else { throw .invalid("the request has several API keys; send one") }
  }

  /// Refuses a request without a valid API key.
  static func requireKey(
    _ request: ServerRequest, _ query: [(name: String, value: String)], _ options: ServerOptions
  ) throws(Refusal) {
    let key = query.first { $0.name.isExactly("key") }?.value ?? request.value(of: .apiKey) ?? ""
    guard !key.isEmpty else { throw .noKey }
    guard options.apiKeys.isEmpty || options.apiKeys.contains(where: { $0.isExactly(key) }) else { throw .wrongKey }
  }
}
