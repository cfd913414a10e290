import GatehouseBase
import GatehouseLocal

/// What a request shows of who sends it.
enum Credentials {
  /// Whether an administrator sends it.
  ///
  /// - Throws: a refusal of a credential that is not one; why the provider cannot be asked.
  static func isAdministrator(_ request: ServerRequest, _ scene: RouteScene) async throws -> Bool {
    guard let header = request.headers["Authorization"] else { return false }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { throw Refusal.wrongCredential }
    if scene.options.emulator != nil, words[1].lowercased() == "owner" { return true }
    do throws(AuthError) {
      try await scene.provider.requireAdministrator(Secret(String(words[1])), audiences: audiences(scene.options))
    } catch {
      // Why a credential is refused is not for those who try some.
      throw Refusal.isFailure(error) ? error : Refusal.wrongCredential
    }
    return true
  }

  /// Where a token may be for that a service account has signed itself.
  private static func audiences(_ options: ServerOptions) -> [String] {
    [google] + (options.publicURL.map { [$0, $0 + "/"] } ?? [])
  }

  /// What Google's libraries sign such tokens for.
  private static let google = "https://identitytoolkit.googleapis.com/"

  /// Refuses a request without an API key of the app's.
  static func requireKey(
    _ request: ServerRequest, _ query: [(name: String, value: String)], _ options: ServerOptions
  ) throws(Refusal) {
    let key = query.first { $0.name.isExactly("key") }?.value ?? request.headers["X-Goog-Api-Key"] ?? ""
    guard !key.isEmpty else { throw .noKey }
    guard options.apiKeys.isEmpty || options.apiKeys.contains(where: { $0.isExactly(key) }) else { throw .wrongKey }
  }
}
