import ArgumentParser
import GatehouseBase

/// `--backend`, for the program and each of its commands.
struct BackendOptions: ParsableArguments {
  @Option(
    name: .customLong("backend"),
    help: ArgumentHelp(
      "Whose session: a server's URL, identity-platform, or home for the home's own provider.", valueName: "backend"),
    transform: { text in Result { () throws(AuthError) in try BackendName(text) } })
  private var name: Result<BackendName, AuthError>?

  var isGiven: Bool { name != nil }

  /// The command itself judges the name. The parser would repeat it in full, and it may contain a password.
  func given() throws(AuthError) -> BackendName? { try typed { try name?.get() } }
}

/// The home of a command that uses a session, with the backend that the session belongs to.
struct SessionOptions: ParsableArguments {
  @OptionGroup var folder: FolderOptions
  @OptionGroup var backend: BackendOptions
  @Option(
    name: .customLong("api-key"),
    help: ArgumentHelp("The API key for the server; better in GATEHOUSE_API_KEY.", valueName: "key"))
  var apiKey: String?

  func validate() throws {
    if apiKey == "" { throw ValidationError("--api-key is empty; leave it out") }
    do throws(AuthError) { _ = try backend.given() } catch { throw ValidationError("--backend: \(error.message)") }
  }

  /// The home, with the backend of its session.
  ///
  /// - Throws: `.invalidArgument` if the session does not belong to the given backend.
  func home() throws(AuthError) -> Home { try home(needsSession: true) }

  /// The home, with a backend to sign in to, whichever backend its session belongs to.
  func homeForSignIn() throws(AuthError) -> Home { try home(needsSession: false) }

  private func home(needsSession: Bool) throws(AuthError) -> Home {
    var home = try folder.home()
    let given = try backend.given() ?? BackendName.environment(home.variable)
    try home.choose(given, apiKey: apiKey, needsSession: needsSession)
    return home
  }
}
