import Foundation
import Gatehouse
import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem

/// The token daemon keeps this in a home.
///
/// ```
/// agent/lock             locked by the daemon that runs, with its latest sign of life
/// agent/accounts/NAME/   an account that gate agent login has made: a home of its own for its session, and the login's
///                        identifier; or account.json
/// agent/agent.socket     the socket, unless the environment names another place
/// ```
struct AgentFolder: Sendable {
  let home: Home

  private var path: String { home.path + "/agent" }
  private var accounts: String { path + "/accounts" }

  // MARK: The owner

  /// Makes this process the owner of the accounts until it ends, however it ends. An owner that is frozen is ended.
  ///
  /// - Parameters:
  ///   - silence: the silence after which another process may end this one, in seconds.
  ///   - socket: where the present owner answers, if it lives.
  /// - Throws: `.storeInUse`, which names the process that is the owner.
  func own(silence: Int, socket: String) throws(AuthError) -> AgentOwnership {
    let answer = try home.looking(at: path) { () throws(SystemError) in
      _ = try OpenFolder.ownOrMade(path)
      return try AgentOwnership.ask(for: path, silence: silence, answers: { Self.answers($0, at: socket) }) {
        process, seconds in
        StandardError.say(
          "process \(process) has given no sign of life for \(seconds) s: it was stopped, or hung. It is ended, and "
            + "this process runs the agent in its place")
        Signal.kill.send(to: process)
      }
    }
    switch answer {
    case .owner(let ownership): return ownership
    case .refused(let holder):
      throw AuthError(
        .storeInUse, "\(holder) of \(home.path.printable()); end it, or name another home with --home")
    }
  }

  /// Whether a daemon answers at a socket, with the work queue of its agent.
  private static func answers(_ process: Int32, at socket: String) -> Bool {
    let request = "GET /v1/status HTTP/1.1\r\nHost: agent\r\nConnection: close\r\n\r\n"
    guard let stream = try? UnixStream(socket, patience: 5), (try? stream.send(Array(request.utf8))) != nil,
      let answer = try? stream.receiveAll(limit: 1 << 16), let head = answer.firstRange(of: Array("\r\n\r\n".utf8)),
      let status = try? JSONObject(reading: answer[head.upperBound...])
    else { return false }
    return status["process"]?.integer == Int64(process)
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

  /// Whether an account has a session. One of another kind may have it from before.
  func hasSession(_ name: String) throws(AuthError) -> Bool {
    var session = try home.forSession(in: folder(of: name), nil)
    try session.choose(nil, apiKey: nil, needsSession: true)
    return HomeView.hasSession(session)
  }

  /// Notes a new login, which may be another user's.
  func noteLogin(of name: String) throws(AuthError) {
    let file = folder(of: name) + "/login"
    // So short that a text has it without an object of its own.
    let id = SystemRandomSource().identifier().prefix(Self.loginIDLength)
    try home.looking(at: file) { () throws(SystemError) in try AtomicFile.write(Array(id.utf8), to: file) }
  }

  /// The identifier of an account's latest login; `nil` for one of an earlier version.
  func loginID(of name: String) throws(AuthError) -> String? {
    try home.looking(at: folder(of: name) + "/login") { () throws(SystemError) in
      try ifThere { () throws(SystemError) in
        try OpenFolder.own(folder(of: name)).openOwn("login", .reading, .unwritable)
          .readAll(limit: Self.loginIDLength).map { String(decoding: $0, as: UTF8.self) }
      }
    } ?? nil
  }

  private static let loginIDLength = 15

  /// Refuses settings that would have the daemon write a token over a file of the home.
  func requireNotOwn(_ files: [String: TokenFileSettings]) throws(AuthError) {
    let own = URL(filePath: path).resolvingSymlinksInPath().path
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      try home.requireNotOwn(file.path)
      let folder = URL(filePath: FileLocation(file.path).folder).resolvingSymlinksInPath().path
      guard folder != own, !folder.hasPrefix(own + "/") else {
        throw AuthError(
          .invalidArgument,
          "files.\(name.shown): \(file.path.shown) is in the daemon's own folder; name a file elsewhere")
      }
    }
  }

  func has(_ name: String) -> Bool { (try? FileStatus.at(folder(of: name))) != nil }

  func remove(_ name: String) throws(AuthError) {
    try home.looking(at: accounts) { () throws(SystemError) in try OpenFolder.own(accounts).removeAll(name) }
  }
}
