import ArgumentParser
import GatehouseBase

/// `--home`, for the program and each of its commands.
struct HomeOptions: ParsableArguments {
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

  /// The home that was named, or the user's own.
  func home() throws(AuthError) -> Home { try Home(path, variable: GivenText.variable) }
}
