import ArgumentParser
import Gatehouse
import GatehouseAgent
import GatehouseAgentClient
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem

/// `gate agent login NAME …`
struct AgentLoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login", abstract: "Make an account, or sign in to it again.",
    usage: """
      gate agent login NAME EMAIL [--backend <backend>] [--password-stdin] [--config <file>] [--json] [--home <dir>]
      gate agent login NAME --service-account-file <file> [--scope <scope> ...] [--json] [--home <dir>]
      gate agent login NAME --token-file <file> [--lifetime <seconds>] [--json] [--home <dir>]
      """,
    discussion: """
      With an address it signs in, as gate sign-in does, and keeps the session for the daemon: at the home's own \
      provider, or with --backend at a server. With --service-account-file the account's tokens are access tokens of a \
      service account (RFC 7523). With --token-file another program writes the token.

      A daemon that runs takes the account at once. It need not run. The session is encrypted under the key of the \
      daemon's settings, which are read for it.
      """)

  @OptionGroup var account: AgentAccountArgument
  @Argument(help: "The address to sign in with.") var email: String?
  @Option(
    help: ArgumentHelp("The file of a service account.", valueName: "file"), completion: .file(), transform: fileName)
  var serviceAccountFile: String?
  @Option(
    name: .customLong("scope"),
    help: ArgumentHelp("With --service-account-file: a scope of the tokens.", valueName: "scope"))
  var scopes: [String] = []
  @Option(
    help: ArgumentHelp("A file that another program writes a token to.", valueName: "file"), completion: .file(),
    transform: fileName)
  var tokenFile: String?
  @Option(help: ArgumentHelp("With --token-file: how long a token lives that does not say so.", valueName: "seconds"))
  var lifetime: Int?
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var session: SessionOptions
  @OptionGroup var configuration: AgentConfigurationOptions
  @Option(
    help: ArgumentHelp("The daemon's socket, if it is not where the environment says.", valueName: "path"),
    completion: .file(), transform: fileName)
  var socket: String?

  func validate() throws {
    let ways = [email, serviceAccountFile, tokenFile].count { $0 != nil }
    guard ways == 1, email != "" else {
      throw ValidationError("give an address, --service-account-file or --token-file")
    }
    guard scopes.isEmpty || serviceAccountFile != nil else { throw ValidationError("--scope needs a service account") }
    guard lifetime.map({ (1...31_536_000).contains($0) && tokenFile != nil }) ?? true else {
      throw ValidationError("--lifetime needs --token-file, and is from 1 to 31536000 seconds")
    }
  }

  func run() async throws {
    let home = try session.folder.home()
    let folder = AgentFolder(home: home)
    let source = configuration.source(home.variable)
    // Settings with a mistake are reported by the daemon, and where they are needed.
    if let given = try? source.read(), given.accounts[account.name] != nil {
      throw AuthError(
        .accountExists,
        "'\(account.name)' is an account of the settings, \(source.shown); choose another name, or remove it there"
      )
    }
    let line: String
    if let email {
      let keys = try source.keys(home.variable)
      try folder.requireEncryption(keys)
      let isNew = !folder.has(account.name)
      do {
        line = "signed in: \(try await signIn(email, in: try folder.home(of: account.name, keys)))"
      } catch {
        // Otherwise a daemon would have an account that needs a person.
        if isNew, folder.has(account.name) { try? folder.remove(account.name) }
        throw error
      }
      try folder.noteLogin(of: account.name)
      try folder.forgetSettings(of: account.name)
    } else {
      let settings = try settings()
      try folder.keep(settings, of: account.name)
      line = "the account is made"
    }
    let client = AgentClient(
      socket: try socket ?? AgentSocket.path(home: session.folder.path, variable: GivenText.variable))
    try await client.reloadIfRunning()
    try await client.refreshIfRunning(account.name)
    try answer.write("\(account.name): \(line)", json: ["account": .string(account.name)])
  }

  /// Signs in, and returns the user for people.
  private func signIn(_ email: String, in home: Home) async throws -> String {
    var home = home
    let given = try session.backend.given() ?? BackendName.environment(home.variable)
    try home.choose(given, apiKey: session.apiKey, needsSession: false)
    try home.requireProvider()
    try home.checkAddress(email, isNew: false)
    let password = try password.password(of: email)
    let user = try await home.signIn(with: secondFactor) { auth throws(AuthError) in
      try await auth.readyForSignIn()
      return try await typed { try await auth.signIn(withEmail: email, password: password.revealed).user }
    }
    try await home.becomeCurrent()
    return user.line
  }

  private func settings() throws(AuthError) -> AccountSettings {
    do throws(SystemError) {
      if let serviceAccountFile {
        return .serviceAccount(file: try CurrentProcess.absolute(serviceAccountFile), scopes: scopes)
      }
      return .tokenFile(try CurrentProcess.absolute(tokenFile ?? ""), lifetime: .seconds(lifetime ?? 300))
    } catch { throw AuthError(.invalidArgument, "the file's path is not known: \(error)") }
  }
}

extension AgentClient {
  /// Has a daemon that runs fetch a token, which ends a wait for a person. What is wrong with the account is reported
  /// by the daemon's own commands.
  fileprivate func refreshIfRunning(_ name: String) async throws(AuthError) {
    do throws(AuthError) { _ = try await typed { try await refresh(name) } } catch {
      guard error.code != .networkError else { return }
      StandardError.say("\(name) has no token yet: \(error.message)")
    }
  }
}

/// `gate agent logout NAME`
struct AgentLogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "End an account's session, and remove the account.",
    discussion: """
      The session is ended at the provider or server too, so that its refresh token is worth nothing. If the server is \
      away, or is Identity Platform, which cannot end a single session, that is said, and the account is removed all \
      the same. A token that was lent is good until it expires. An account of the settings is removed \
      there.
      """)

  @OptionGroup var account: AgentAccountArgument
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var configuration: AgentConfigurationOptions
  @OptionGroup var socket: AgentSocketOptions

  func run() async throws {
    let folder = AgentFolder(home: try socket.folder.home())
    let variable = folder.home.variable
    let name = account.name
    guard folder.has(name) else {
      let source = configuration.source(variable)
      let isGiven = (try? source.read())?.accounts[name] != nil
      throw AuthError(
        .accountUnknown,
        isGiven
          ? "'\(name)' is an account of the settings; remove it from \(source.shown), and reload"
          : "gate agent login has made no account '\(name)'; gate agent list shows them all")
    }
    var ended = false
    if try folder.settings(of: name) == nil || folder.hasSession(name) {
      ended = try await end(try folder.home(of: name, try configuration.source(variable).keys(variable)))
    }
    try folder.remove(name)
    try await socket.client().reloadIfRunning()
    try answer.write(
      ended ? "\(name): signed out, and removed" : "\(name): removed",
      json: ["account": .string(name), "sessionEnded": .bool(ended)])
  }

  /// Ends the session at the server. A session that has ended already is no error.
  private func end(_ home: Home) async throws -> Bool {
    var home = home
    try home.choose(nil, apiKey: nil, needsSession: true)
    return try await home.withSessionAtHand { auth throws(AuthError) in
      try await typed { try await auth.ready() }
      guard let user = auth.currentUser else { return false }
      var ended = true
      do throws(AuthError) {
        let own = try await typed { try await user.sessions() }.filter(\.isCurrent)
        for session in own { try await typed { try await user.revokeSession(session.id) } }
      } catch {
        ended = error.needsSignIn
        if !ended {
          StandardError.say("the session could not be ended at the server, where it lasts on: \(error.message)")
        }
      }
      try typed { try auth.signOut() }
      return ended
    }
  }
}
