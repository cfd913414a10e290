import GatehouseBase

extension AdminAuth {
  /// The manager of the project's configuration.
  public var projectConfigManager: ProjectConfigManager { ProjectConfigManager(admin: projectAuth) }
}

/// Reads and changes the configuration of a project.
///
/// Like the calls of `AdminAuth`, its calls begin on the work queue, are carried out in the background, and have a
/// deadline. Besides the errors listed here, they throw those of users' calls. Usable from any thread.
public struct ProjectConfigManager: Sendable {
  let admin: AdminAuth

  /// Returns the project's configuration.
  ///
  /// - Parameter timeout: the time limit of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The current configuration.
  /// - Throws: `.adminRestrictedOperation`, …
  public func getProjectConfig(timeout: Duration? = nil) async throws -> ProjectConfig {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.projectConfig() }
  }

  /// Returns the project's configuration.
  public func getProjectConfig(
    timeout: Duration? = nil, @_inheritActorContext completion: @escaping Completion<ProjectConfig>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in try await desk.projectConfig() }
  }

  /// Changes the project's configuration. Each member that is set is replaced as a whole. Of two simultaneous changes,
  /// the last one counts.
  ///
  /// - Parameters:
  ///   - request: the change.
  ///   - timeout: the time limit of the call; `nil` for `AdminOptions.timeout`.
  /// - Returns: The configuration after the change.
  /// - Throws: `.invalidArgument`, with the server code `INVALID_CONFIG` if the server does not support the change, …
  public func updateProjectConfig(
    _ request: UpdateProjectConfigRequest, timeout: Duration? = nil
  ) async throws -> ProjectConfig {
    try await admin.call(timeout: timeout) { desk throws(AuthError) in try await desk.updateProjectConfig(request) }
  }

  /// Changes the project's configuration.
  public func updateProjectConfig(
    _ request: UpdateProjectConfigRequest, timeout: Duration? = nil,
    @_inheritActorContext completion: @escaping Completion<ProjectConfig>
  ) {
    admin.call(timeout: timeout, to: completion) { desk throws(AuthError) in
      try await desk.updateProjectConfig(request)
    }
  }
}
