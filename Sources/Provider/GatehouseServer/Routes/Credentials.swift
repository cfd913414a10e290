import GatehouseBase

/// What a request shows of who sends it.
enum Credentials {
  /// Whether an administrator sends it.
  ///
  /// - Throws: a refusal of a credential that is not one.
  static func isAdministrator(_ request: ServerRequest, _ options: ServerOptions) throws(Refusal) -> Bool {
    guard let header = request.headers["Authorization"] else { return false }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer", options.emulator != nil, words[1].lowercased() == "owner"
    else { throw .wrongCredential }
    return true
  }

  /// Refuses a request without an API key of the app's.
  static func requireKey(
    _ request: ServerRequest, _ query: [(name: String, value: String)], _ options: ServerOptions
  ) throws(Refusal) {
    let key = query.first { $0.name.isExactly("key") }?.value ?? request.headers["X-Goog-Api-Key"] ?? ""
    guard !key.isEmpty else { throw .noKey }
    guard options.apiKeys.isEmpty || options.apiKeys.contains(where: { $0.isExactly(key) }) else { throw .wrongKey }
  }
}
