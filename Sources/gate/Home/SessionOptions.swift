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

  /// The command judges the name: the parser would repeat all of it, and it may hold a password.
  func given() throws(AuthError) -> BackendName? { try name?.get() }
}

/// The home of a command that works on a session, with the backend that answers for it.
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
  /// - Throws: `.invalidArgument` for a backend to which the session does not belong.
  func home() throws(AuthError) -> Home { try home(needsSession: true) }

  /// The home, with a backend to sign in to, whomever its session belongs to.
  func homeForSignIn() throws(AuthError) -> Home { try home(needsSession: false) }

  private func home(needsSession: Bool) throws(AuthError) -> Home {
    var home = try folder.home()
    let given = try backend.given() ?? BackendName.environment(home.variable)
    try home.choose(given, apiKey: apiKey, needsSession: needsSession)
    return home
  }
}
