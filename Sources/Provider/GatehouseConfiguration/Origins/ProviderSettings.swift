public import Configuration
import FoundationEssentials
import GatehouseBase
import GatehouseSystem

/// The origins of an embedded provider's settings: a JSON file, and the environment.
///
///     let config = ConfigReader(providers: [
///       try ProviderSettings.environment(), try ProviderSettings.file("provider.json"),
///     ])
///     let options = try await LocalOptions(reading: config)
///
/// The first origin that has a setting takes precedence. `Docs/configuration.md` lists the settings. Everything is
/// checked when it is read; an unknown key or a value that is not allowed is an error.
public enum ProviderSettings {
  /// Reads a JSON file of at most 1 MiB, on the calling thread. The file is not watched: later changes have no effect.
  ///
  /// - Parameter path: the file. It must be a regular file that belongs to this user or to root, and that other users
  ///   cannot write to. If it contains secrets, other users must not be able to read it either (`chmod 600`).
  /// - Throws: `.invalidArgument` for an unknown key and for a value that is not allowed, `.jsonMalformed`,
  ///   `.jsonDuplicateMember` or `.jsonTooLarge` for invalid JSON, each with line and column; `.providerUnavailable`
  ///   for a file that cannot be read; `.providerUnsafe` for a file that others could change, or whose secrets they
  ///   could read.
  public static func file(_ path: String) throws -> any ConfigProvider {
    try FileSettings(at: path)
  }

  /// Reads a text like a file of that name.
  package static func file(parsing text: String, name: String) throws(AuthError) -> any ConfigProvider {
    try FileSettings(parsing: Array(text.utf8), name: name)
  }

  /// Reads the variables that begin with `GATEHOUSE_PROVIDER_`. Empty variables are ignored.
  ///
  /// - Parameter variables: the environment; `nil` for that of this process.
  /// - Throws: `.invalidArgument` for such a variable that names no setting or is not UTF-8, and for a value that is
  ///   not allowed.
  public static func environment(_ variables: [String: String]? = nil) throws -> any ConfigProvider {
    guard let variables else { return try environment(entries: CurrentProcess.environment) }
    return try EnvironmentSettings(variables)
  }

  /// Reads entries `NAME=value` like the environment of this process.
  package static func environment(entries: [[UInt8]]) throws(AuthError) -> any ConfigProvider {
    try EnvironmentSettings(entries: entries)
  }
}
