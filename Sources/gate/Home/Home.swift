import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseConfiguration
import GatehouseLocal
import GatehouseSystem

/// The folder that a user's runs of `gate` share.
///
/// ```
/// provider/      the embedded identity provider: accounts and keys
/// provider.json  the provider's settings, if its owner has some
/// session.json   the signed-in user of that provider, with tokens; 0600
/// backend.json   which server answers for the session, where that is not the home's own provider; 0600
/// sessions/      the signed-in user of that server, in a file that is named after it; and the cookie of this device
/// project        of an emulator's home: the name of its own project
/// projects/      of an emulator's home: a home for each other project
/// emulator/      the home of gate serve --emulator, if no other home was named for it
/// agent/         the accounts of the token daemon
/// outbox/        texts to phones, what a former address is told, and messages of a server, for whatever sends them
/// ```
struct Home: Sendable {
  let path: String
  let variable: @Sendable (String) -> String?
  /// The server that the session belongs to; `nil` for the home's own provider.
  var server: SessionServer?

  /// The encryption of the session; `nil` if it is in plain.
  private(set) var encryption: HomeEncryption?

  /// Whether the session that a sign-in replaces is kept.
  private(set) var keepsUsers = false

  /// The folder of the home's own provider: the home itself, unless this home is for a session alone.
  private var origin: String

  var provider: String { origin + "/provider" }
  var settings: String { origin + "/provider.json" }
  /// Each backend's session is in a file of its own, so that a session is never sent to the server of another backend.
  var session: String { server.map { "\(sessions)/\($0.fileName)" } ?? path + "/session.json" }
  var sessions: String { path + "/sessions" }
  /// The file that names the server which the session belongs to.
  var current: String { path + "/backend.json" }
  var outbox: String { origin + "/outbox" }

  /// The home of an emulator for which no other home was named.
  func ofEmulator() throws(AuthError) -> Home { try Home(path + "/emulator", variable: variable) }

  /// - Parameters:
  ///   - given: the folder that the arguments name, if they name one.
  ///   - variable: looks up an environment variable. An empty variable counts as missing.
  init(_ given: String?, variable: @escaping @Sendable (String) -> String?) throws(AuthError) {
    self.variable = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    let variable = self.variable
    path = try DefaultHome.path(given, variable: variable)
    origin = path
  }

  /// A home in another folder, for a session alone: its own provider is that of this home.
  ///
  /// - Parameter encryption: how the session is encrypted; `nil` if it is not.
  func forSession(in folder: String, _ encryption: HomeEncryption?) throws(AuthError) -> Home {
    var home = try Home(folder, variable: variable)
    home.origin = origin
    home.encryption = encryption
    return home
  }

  /// The home, with the sessions of several users.
  func keepingUsers() -> Home {
    var home = self
    home.keepsUsers = true
    return home
  }

  /// Returns the home's own provider, which touches nothing in the folder before its first call.
  ///
  /// - Parameters:
  ///   - beginsProvider: whether a provider is created in a folder that has none. If not, each call is refused there.
  ///   - delivery: where its messages go, for a command that has a message sent.
  func backend(
    beginsProvider: Bool, delivery: (any MessageDelivery)? = nil
  ) async throws(AuthError) -> LocalBackend {
    var options = try await settingsInForce().options
    options.delivery = delivery ?? options.delivery ?? FileDelivery(folder: outbox)
    return backend(options, beginsProvider: beginsProvider)
  }

  /// Returns the home's own provider with these options.
  ///
  /// - Parameter opensAnyHome: whether the home may be an emulator's, which only a server must not open by mistake.
  func backend(_ options: LocalOptions, beginsProvider: Bool, opensAnyHome: Bool = true) -> LocalBackend {
    var options = options
    options.beginsProvider = beginsProvider
    options.opensAnyHome = opensAnyHome
    options.holder = .gate
    options.textDelivery = options.textDelivery ?? FileDelivery(folder: outbox)
    // It has a transport, because an administrator of its server may configure identity providers at any time.
    options.transport = AsyncHTTPTransport()
    return .local(directory: provider, options: options)
  }

  /// How long the embedded provider's tokens are valid, in seconds, if the environment says so.
  func givenLifetime() -> Int? {
    guard let lifetime = variable(Self.lifetimeVariable) else { return nil }
    guard let seconds = Int(lifetime), (1...86400).contains(seconds) else {
      GivenText.refuse(
        "\(Self.lifetimeVariable) must be whole seconds from 1 to 86400, and is \(lifetime.printable())")
    }
    return seconds
  }

  /// The variable that sets how long the embedded provider's tokens are valid, in seconds, for trying out what happens
  /// when they expire.
  static let lifetimeVariable = "GATEHOUSE_TOKEN_LIFETIME"

  /// Refuses a home without a folder for its provider, and a home in which others could put a provider of theirs.
  /// Whether there is a provider in the folder turns out when it is opened.
  func requireProvider() throws(AuthError) {
    // A server that cannot be reached is reported when it is called.
    guard server == nil else { return try requireOwn() }
    guard try hasProvider() else { throw noProvider() }
    try requireOwn()
  }

  /// Whether the home has a folder for its provider.
  func hasProvider() throws(AuthError) -> Bool {
    try looking(at: provider) { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try OpenFolder(provider).status() } != nil
    }
  }

  /// Refuses a home that others could change. A home that does not exist yet is accepted.
  func requireOwn() throws(AuthError) {
    try looking(at: path) { () throws(SystemError) in
      _ = try ifThere { () throws(SystemError) in try OpenFolder.own(path) }
    }
  }

  /// Refuses the name of the session's file, and of a file that the session's store keeps beside it.
  func requireNotSession(_ file: String) throws(AuthError) {
    let location = FileLocation(file)
    guard location.name.hasPrefix("session.json") || location.name.hasPrefix("backend.json"),
      let own = try? FileStatus.at(path, followingLink: true),
      let folder = try? FileStatus.at(location.folder, followingLink: true), own.isSame(as: folder)
    else { return }
    throw AuthError(.invalidArgument, "\(file) is the session's own file; name another file")
  }

  /// Refuses the name of a file that the home keeps: the session's files, and the files in the provider's folder.
  func requireNotOwn(_ file: String) throws(AuthError) {
    try requireNotSession(file)
    guard let folder = try? FileStatus.at(FileLocation(file).folder, followingLink: true) else { return }
    for own in [provider, provider + "/keys", sessions] {
      guard let status = try? FileStatus.at(own, followingLink: true), status.isSame(as: folder) else { continue }
      let what = own == sessions ? "folder of the home's sessions" : "identity provider's folder"
      throw AuthError(.invalidArgument, "\(file) is in the \(what); name a file elsewhere")
    }
  }

  /// Runs calls on files. An unsafe file is reported as `.providerUnsafe`, a failed call as `.providerUnavailable`.
  func looking<T>(
    at folder: String, _ body: () throws(SystemError) -> T
  ) throws(AuthError) -> T {
    do throws(SystemError) { return try body() } catch {
      guard error.isUnsafe else { throw AuthError(.providerUnavailable, "\(folder) cannot be opened: \(error)") }
      throw AuthError(.providerUnsafe, error.description)
    }
  }
}
