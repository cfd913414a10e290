package import GatehouseBase

// The configuration of the whole project by an administrator.
extension LocalBackend {
  /// Returns the project's configuration, with the options in effect.
  ///
  /// - Parameter credential: the administrator's credential; `nil` for that of the program that holds the provider.
  package func configuration(by credential: AdministratorCredential? = nil) async throws(AuthError) -> JSONObject {
    try await withProvider(.administrator("configuration", credential)) { provider throws(AuthError) in
      try provider.resources.configuration()
    }
  }

  /// Changes the project's configuration, which takes effect at once, and returns it.
  ///
  /// - Parameters:
  ///   - mask: the members to change; `nil` for all members of the document.
  ///   - credential: the administrator's credential; `nil` for that of the program that holds the provider.
  @discardableResult
  package func configure(
    _ document: JSONObject, mask: [String]?, by credential: AdministratorCredential? = nil
  ) async throws(AuthError) -> JSONObject {
    try await withProvider(.administrator("configure", credential)) { provider throws(AuthError) in
      let isEmulator = provider.options.isEmulator
      try provider.resources.configure(
        try DocumentChange(to: document, mask: mask, of: .project, isEmulator: isEmulator))
      return try provider.resources.configuration()
    }
  }
}
