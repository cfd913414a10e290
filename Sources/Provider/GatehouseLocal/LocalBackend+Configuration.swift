package import GatehouseBase

// The configuration of the whole project by an administrator.
extension LocalBackend {
  /// Returns the project's configuration, with the options in effect.
  package func configuration() async throws(AuthError) -> JSONObject {
    try await withProvider { provider throws(AuthError) in try provider.resources.configuration() }
  }

  /// Changes the project's configuration, which takes effect at once.
  ///
  /// - Parameter mask: the members to change; `nil` for all members of the document.
  package func configure(_ document: JSONObject, mask: [String]?) async throws(AuthError) {
    try await withProvider { provider throws(AuthError) in
      let isEmulator = provider.options.isEmulator
      try provider.resources.configure(
        try DocumentChange(to: document, mask: mask, of: .project, isEmulator: isEmulator))
    }
  }
}
