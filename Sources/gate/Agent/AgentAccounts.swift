import Gatehouse
import GatehouseAdmin
import GatehouseAgent
import GatehouseAgentServer
import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseREST
import IdentityToolkit
import Logging

/// The accounts of a running daemon, as its settings and its folder name them.
actor AgentAccounts {
  /// Everything that an account's source is made of. An account whose plan has not changed keeps its source and token.
  private enum Plan: Hashable {
    /// A token file or a service account.
    case settings(AccountSettings)
    /// The session of a home that the settings name: its file, and the folder of the provider that answers.
    case session(file: String, provider: String)
    /// The session of a login, with the login's identifier.
    case login(SessionServer?, String?, keys: [String])
    /// The account cannot be used.
    case fault(AuthError)
  }

  private let agent: Agent
  private let folder: AgentFolder
  private let figures: AgentFigures
  private let logger: Logger
  private let removed: @Sendable (_ account: String) -> Void
  private var plans: [String: Plan] = [:]
  /// The settings and the keys that were applied last.
  private var inForce: (settings: AgentSettings, keys: AgentKeys)?
  /// The embedded providers, by the folder of their home.
  private var providers: [String: LocalBackend] = [:]
  /// The clients of servers.
  private var servers: [SessionServer: RESTBackend] = [:]
  /// The sessions of logins, by the server that answers for them, under the keys that were read last.
  private var logins: [SessionServer?: LoginSessions] = [:]
  /// Carries the requests of all sessions: a transport for each would keep a connection for each. Requests that hang
  /// must not take all connections from other accounts at the same server.
  private let transport = AsyncHTTPTransport(connectionsPerHost: 1000)

  /// - Parameter removed: called when an account has been removed, also if another one of its name follows.
  init(
    _ agent: Agent, _ folder: AgentFolder, _ figures: AgentFigures, logger: Logger,
    removed: @escaping @Sendable (_ account: String) -> Void
  ) {
    self.removed = removed
    self.agent = agent
    self.folder = folder
    self.figures = figures
    self.logger = logger
  }

  /// Adds, replaces and removes accounts, so that they are those of the settings and those of the folder. An account
  /// whose files cannot be read now stays what it was, unless its settings or the keys have changed. One call at a
  /// time.
  ///
  /// - Returns: how many there are, and how many have changed.
  func apply(_ settings: AgentSettings) async throws(AuthError) -> JSONObject {
    let keys = try AgentKeys(settings, folder.home.variable)
    try folder.requireNotOwn(settings.files)
    let own = try folder.names()
    let wanted = Set(own).union(settings.accounts.keys)
    logins = [:]
    let former = inForce
    inForce = (settings, keys)
    var changed = 0
    for name in plans.keys where !wanted.contains(name) {
      try remove(name)
      changed += 1
    }
    for name in wanted.sorted() {
      let plan: Plan, source: any TokenSource
      do throws(AuthError) { (plan, source) = try await self.source(of: name) } catch {
        let isAsBefore = former?.settings.accounts[name] == settings.accounts[name] && former?.keys.ids == keys.ids
        if error.code != .accountExists, isAsBefore, isUsable(name) {
          StandardError.say("\(name) stays what it was: \(error.message)")
          continue
        }
        (plan, source) = (.fault(error), FaultySource(account: name, accounts: self))
      }
      guard plans[name] != plan else { continue }
      if plans[name] != nil { try remove(name) }
      try typed { try agent.add(name, source) }
      plans[name] = plan
      changed += 1
    }
    return ["accounts": .number(JSONNumber(plans.count)), "changed": .number(JSONNumber(changed))]
  }

  private func remove(_ name: String) throws(AuthError) {
    plans[name] = nil
    try typed { try agent.remove(name) }
    removed(name)
  }

  private func isUsable(_ name: String) -> Bool {
    switch plans[name] {
    case nil, .fault: false
    default: true
    }
  }

  /// Closes the providers.
  func close() async {
    for provider in providers.values { try? await provider.close() }
  }

  // MARK: Sources

  /// Makes an account's source. Whatever is wrong with one account is the error of its tokens, and no other's.
  private func source(of name: String) async throws(AuthError) -> (Plan, any TokenSource) {
    guard let (all, keys) = inForce else { throw AuthError(.closed, "the settings have not been read yet") }
    var settings = all.accounts[name]
    if settings != nil, folder.has(name) { throw .isTwice(name) }
    if settings == nil { settings = try folder.settings(of: name) }
    guard let settings else { return try await login(of: name, keys) }
    switch settings {
    case .home(let path): return try await session(of: try Home(path, variable: folder.home.variable))
    case .tokenFile(let path, let lifetime):
      return (.settings(settings), figures.counting(FileSource(path: path, lifetime: lifetime)))
    case .serviceAccount(let file, let scopes):
      let source =
        scopes.isEmpty ? ServiceAccountSource(file: file) : ServiceAccountSource(file: file, scopes: scopes)
      return (.settings(settings), figures.counting(source))
    }
  }

  /// Makes the source of an account that could not be used, and perhaps can be now.
  fileprivate func mendedSource(of name: String) async throws(AuthError) -> any TokenSource {
    do throws(AuthError) {
      let (plan, source) = try await source(of: name)
      // A reload then finds nothing new.
      if case .fault = plans[name] { plans[name] = plan }
      return source
    } catch {
      // A failure like any other, for the figures.
      _ = try await figures.counting(Fault(error: error)).fetch()
      throw error
    }
  }

  /// The session of a home that the settings name. It is in plain: `gate` itself reads it.
  private func session(of home: Home) async throws(AuthError) -> (Plan, any TokenSource) {
    var home = home
    try home.choose(nil, apiKey: nil, needsSession: true)
    let source = home.source(asking: try await backend(of: home), logger)
    return (.session(file: home.session, provider: home.provider), figures.counting(source))
  }

  /// The session of a login.
  private func login(of name: String, _ keys: AgentKeys) async throws(AuthError) -> (Plan, any TokenSource) {
    var home = try folder.home(of: name, keys)
    try home.choose(nil, apiKey: nil, needsSession: true)
    let sessions: LoginSessions
    if let known = logins[home.server] {
      sessions = known
    } else {
      sessions = LoginSessions(in: folder, keys, at: home.server, try await backend(of: home), figures, logger)
      logins[home.server] = sessions
    }
    // The server of the sessions: its text is kept once.
    return (.login(sessions.server, try folder.loginID(of: name), keys: keys.ids), sessions.source(of: name))
  }

  /// Asks the provider or the server that a home's session belongs to.
  private func backend(of home: Home) async throws(AuthError) -> any Backend {
    if let server = home.server { return client(of: server) }
    return try await provider(of: home)
  }

  /// The client of a server. Accounts share it: no refresh names the device, as a sign-in does.
  private func client(of server: SessionServer) -> RESTBackend {
    if let client = servers[server] { return client }
    let client = server.asBackend(device: nil, over: transport)
    servers[server] = client
    return client
  }

  /// The provider of a home. Accounts share it.
  private func provider(of home: Home) async throws(AuthError) -> LocalBackend {
    if let provider = providers[home.provider] { return provider }
    let provider = try await home.backend(beginsProvider: false)
    providers[home.provider] = provider
    return provider
  }
}

extension AuthError {
  /// The fault of a name that two accounts have.
  static func isTwice(_ name: String) -> AuthError {
    AuthError(
      .accountExists,
      "'\(name)' is an account of the settings, and gate agent login has made one: take it out of the settings, or "
        + "remove the other with gate agent logout \(name)")
  }
}

/// The source of an account that could not be used. It says why until the mistake is mended, and then is the account's
/// own source.
private final class FaultySource: TokenSource {
  private let account: String
  private let accounts: AgentAccounts
  private let mended = Lock<(any TokenSource)?>(nil)
  let kind = "account"

  init(account: String, accounts: AgentAccounts) { (self.account, self.accounts) = (account, accounts) }

  func fetch() async throws(AuthError) -> LentToken { try await source().fetch() }

  private func source() async throws(AuthError) -> any TokenSource {
    if let known = mended.withLock({ $0 }) { return known }
    let source = try await accounts.mendedSource(of: account)
    mended.withLock { $0 = source }
    return source
  }
}

/// The mistake itself.
private struct Fault: TokenSource {
  let error: AuthError
  let kind = "account"

  func fetch() async throws(AuthError) -> LentToken { throw error }
}
