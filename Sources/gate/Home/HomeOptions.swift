import ArgumentParser
import GatehouseBase

/// `--home`, for the program and each of its commands.
struct FolderOptions: ParsableArguments {
  @Option(
    name: .customLong("home"),
    help: ArgumentHelp("The folder to keep state in.", valueName: "dir"), completion: .directory)
  var path: String?

  func validate() throws {
    if path == "" { throw ValidationError("--home must name a folder") }
    if let path, path == "~" || path.hasPrefix("~/") {
      throw ValidationError("--home: the shell did not replace the ~ in '\(path)'; write it out")
    }
  }

  /// The given home, or the user's own.
  func home() throws(AuthError) -> Home { try Home(path, variable: GivenText.variable) }
}

/// The home of a command that uses no session, but the home's own provider, or tokens and keys.
struct HomeOptions: ParsableArguments {
  @OptionGroup var folder: FolderOptions
  // The options are parsed in order to refuse them with a reason.
  @OptionGroup(visibility: .hidden) var backend: BackendOptions

  func validate() throws {
    guard !backend.isGiven else {
      throw ValidationError(
        "--backend is for commands of a session, such as sign-in, whoami and token; this one works with the home's own "
          + "provider, and no server is asked. A server's accounts, keys and tenants are administered where it runs")
    }
  }

  /// The given home, or the user's own.
  func home() throws(AuthError) -> Home { try folder.home() }
}
