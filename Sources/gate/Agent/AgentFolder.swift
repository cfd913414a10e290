import Gatehouse
import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem

/// The token daemon keeps this in a home.
///
/// ```
/// agent/lock             locked by the daemon that runs
/// agent/accounts/NAME/   an account that gate agent login has made: a home of its own for its session, or account.json
/// agent/agent.socket     the socket, unless the environment names another place
/// ```
struct AgentFolder: Sendable {
  let home: Home

  private var path: String { home.path + "/agent" }
  private var accounts: String { path + "/accounts" }

  /// The time for which a second daemon waits for the first one to end, in seconds.
  private static let patience = 3.0

  // MARK: The owner

  /// Makes this process the owner of the accounts until it ends, however it ends.
  ///
  /// - Throws: `.storeInUse`, which names the process that is the owner.
  func own() throws(AuthError) -> AgentOwnership {
    try home.looking(at: path) { () throws(SystemError) in _ = try OpenFolder.ownOrMade(path) }
    let (lock, holder) = try home.looking(at: path) { () throws(SystemError) -> (AgentOwnership, String?) in
      let file = try OpenFolder.own(path).openOwn("lock", .readingOrMaking, .unwritable)
      let holder = try file.lock(patience: Self.patience) ? nil : file.lockHolder()
      return (AgentOwnership(user: try file.status().owner, file), holder)
    }
    guard let holder else { return lock }
    throw AuthError(
      .storeInUse, "\(holder) runs the agent of \(home.path.printable()); end it, or name another home with --home")
  }

  // MARK: Accounts

  /// The names of the accounts that `gate agent login` has made.
  func names() throws(AuthError) -> [String] {
    let names = try home.looking(at: accounts) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try OpenFolder.own(accounts).names() }
    }
    return (names ?? []).filter { (try? Agent.check($0)) != nil }.sorted()
  }

  func folder(of name: String) -> String { "\(accounts)/\(name)" }

  /// The home of an account's session. It asks this home's provider, or a server.
  func home(of name: String, _ keys: AgentKeys) throws(AuthError) -> Home {
    try home.forSession(in: folder(of: name), keys.encryption(of: name))
  }

  /// Refuses to keep a session in plain beside sessions that are encrypted, as a login does that was not given the
  /// daemon's settings.
  func requireEncryption(_ keys: AgentKeys) throws(AuthError) {
    guard keys.ids.isEmpty else { return }
    for name in try names() {
      let folder = folder(of: name), others = (try? OpenFolder.own(folder + "/sessions").names()) ?? []
      let files = [folder + "/session.json"] + others.map { "\(folder)/sessions/\($0)" }
      for file in files where SessionFile.isSealed(at: file) {
        throw AuthError(
          .invalidArgument,
          "the session of '\(name)' is encrypted, and a new one would not be: no key was given. Name the daemon's "
            + "settings with --config, or set CREDENTIALS_DIRECTORY as its service manager does")
      }
    }
  }

  private func file(of name: String) -> String { folder(of: name) + "/account.json" }

  /// The settings of an account; `nil` for one with a session.
  func settings(of name: String) throws(AuthError) -> AccountSettings? {
    let file = file(of: name)
    let bytes = try home.looking(at: file) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in
        try OpenFolder.own(folder(of: name)).openOwn("account.json", .reading, .unwritable).readAll(limit: 1 << 16)
          ?? []
      }
    }
    return try bytes.map { bytes throws(AuthError) in try AccountSettings(parsing: bytes, name: file) }
  }

  /// Stores the settings of an account. Its session, if it had one, stays.
  func keep(_ settings: AccountSettings, of name: String) throws(AuthError) {
    try home.looking(at: file(of: name)) { () throws(SystemError) in
      _ = try OpenFolder.ownOrMade(folder(of: name))
      try AtomicFile.write(Array("\(settings.json)\n".utf8), to: file(of: name))
    }
  }

  /// Makes an account one with a session.
  func forgetSettings(of name: String) throws(AuthError) {
    try home.looking(at: file(of: name)) { () throws(SystemError) in
      _ = try ifThere { () throws(SystemError) in try OpenFolder.own(folder(of: name)).remove("account.json") }
    }
  }

  func has(_ name: String) -> Bool { (try? FileStatus.at(folder(of: name))) != nil }

  func remove(_ name: String) throws(AuthError) {
    try home.looking(at: accounts) { () throws(SystemError) in try OpenFolder.own(accounts).removeAll(name) }
  }
}

/// Keeps the lock of an agent's folder until it is released.
final class AgentOwnership: Sendable {
  /// This process's user.
  let user: UInt32
  private let file: OpenFile

  init(user: UInt32, _ file: consuming OpenFile) {
    self.user = user
    self.file = file
  }
}
