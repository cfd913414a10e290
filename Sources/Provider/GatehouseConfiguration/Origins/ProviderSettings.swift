public import Configuration
import FoundationEssentials
public import GatehouseBase
import GatehouseSystem

/// Where the settings of an embedded provider come from: a JSON file, and the environment.
///
///     let config = ConfigReader(providers: [
///       try ProviderSettings.environment(), try ProviderSettings.file("provider.json"),
///     ])
///     let options = try await LocalOptions(reading: config)
///
/// The first one that has a setting decides. `Docs/configuration.md` lists the settings. Everything is checked when it
/// is read, and what is wrong is an error: an unknown key, a value that is not allowed.
public enum ProviderSettings {
  /// Reads a JSON file of at most 1 MiB, on the calling thread. The file is not followed: later changes have no effect.
  ///
  /// - Parameter path: the file. It must be a plain file that belongs to this user or to root, and other users must not
  ///   be able to write to it; one with secrets must be closed to them (`chmod 600`).
  /// - Throws: `.invalidArgument` for an unknown key and for a value that is not allowed, `.jsonMalformed`,
  ///   `.jsonDuplicateMember` or `.jsonTooLarge` for what is not JSON, each with line and column;
  ///   `.providerUnavailable` for a file that cannot be read, `.providerUnsafe` for one that others could change or
  ///   whose secrets they could read.
  public static func file(_ path: String) throws(AuthError) -> any ConfigProvider {
    try FileSettings(at: path)
  }

  /// Reads a text as `file` reads a file of that name.
  package static func file(parsing text: String, name: String) throws(AuthError) -> any ConfigProvider {
    try FileSettings(parsing: Array(text.utf8), name: name)
  }

  /// Reads the variables that begin with `GATEHOUSE_PROVIDER_`. Empty ones count as none.
  ///
  /// - Parameter variables: the environment; this process's own unless others are given.
  /// - Throws: `.invalidArgument` for such a variable that names no setting or is not UTF-8, and for a value that is
  ///   not allowed.
  public static func environment(_ variables: [String: String]? = nil) throws(AuthError) -> any ConfigProvider {
    guard let variables else { return try environment(entries: CurrentProcess.environment) }
    return try EnvironmentSettings(variables)
  }

  /// Reads entries `NAME=value` as `environment` reads this process's own.
  package static func environment(entries: [[UInt8]]) throws(AuthError) -> any ConfigProvider {
    try EnvironmentSettings(entries: entries)
  }
}
