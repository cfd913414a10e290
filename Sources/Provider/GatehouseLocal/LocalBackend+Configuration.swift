package import GatehouseBase

// What an administrator configures for the project as a whole.
extension LocalBackend {
  /// The project's configuration, with the options that are in force.
  package func configuration() async throws(AuthError) -> JSONObject {
    try await withProvider { provider throws(AuthError) in
      var document = try provider.resource(.project, ProjectConfiguration.id, of: "") ?? [:]
      document["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": .bool(provider.options.enumerationProtection)]
      return document.named("projects/\(provider.options.projectID)/config")
    }
  }

  /// Changes the project's configuration, which is in force at once.
  ///
  /// - Parameter mask: the members that are changed; `nil` for all of the document.
  package func configure(_ document: JSONObject, mask: [String]?) async throws(AuthError) {
    let change = try DocumentChange(to: document, mask: mask)
    _ = try await withProvider { provider throws(AuthError) in
      try provider.configure { old throws(AuthError) in
        var new = change.applied(to: old)
        // The provider's owner says where links may lead: answers show it, and a client sends back what it was shown.
        new["authorizedDomains"] = nil
        return new
      }
    }
  }
}
