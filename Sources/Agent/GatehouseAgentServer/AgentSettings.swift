import GatehouseAgent
package import GatehouseBase
package import GatehouseSystem

/// The settings of the token daemon: one JSON file.
///
///     {
///       "fetchesPerSecond": 10,
///       "encryptionKeyFile": "/home/ada/.config/gatehouse/agent.key",
///       "takeoverSeconds": 60,
///       "onNeedsPerson": "notify-send \"$GATEHOUSE_ACCOUNT: $GATEHOUSE_REASON\"",
///       "clients": {"mail": {"user": 1000, "executable": "/usr/bin/mutt", "accounts": ["mail"]}},
///       "accounts": {
///         "mail": {"home": "/home/ada/.local/state/gatehouse"},
///         "deploy": {"serviceAccountFile": "/etc/deploy.json"},
///         "sidecar": {"tokenFile": "/run/sidecar/token", "lifetimeSeconds": 600}
///       },
///       "files": {"mail": {"path": "/run/user/1000/mail-token", "onChange": "pkill -HUP mbsync"}}
///     }
///
/// Everything is checked when it is read. Errors have the file's name, the line and the column.
package struct AgentSettings: Sendable, Hashable {
  /// The maximum number of fetches that begin in any second.
  package var fetchesPerSecond = 10
  /// The silence after which another daemon may end this one and take its place, in seconds.
  package var takeoverSeconds = 60
  /// The files of the keys that sessions are encrypted under: the present one first, then former ones.
  package var encryptionKeyFiles: [String] = []
  /// A shell command, which runs when an account begins to need a person.
  package var onNeedsPerson: String?
  /// The programs that may ask.
  package var clients: [ClientRule] = []
  /// The accounts, by name.
  package var accounts: [String: AccountSettings] = [:]
  /// The files into which the daemon writes tokens, by the name of the account.
  package var files: [String: TokenFileSettings] = [:]

  package init() {}

  /// Reads the file at a path. Blocks.
  ///
  /// - Throws: `.storeUnreadable`, or `.storeUnsafe` for a file that other users can change, which could name programs
  ///   to run; `.jsonMalformed`, … for invalid JSON; `.invalidArgument` for an unknown member or a wrong value.
  package init(file path: String) throws(AuthError) {
    let bytes: [UInt8]?
    do throws(SystemError) {
      let file = try OpenFile(path)
      try file.status().requireSettings(at: path)
      bytes = try file.readAll(limit: JSONLimits.standard.bytes)
    } catch {
      throw AuthError(error.isUnsafe ? .storeUnsafe : .storeUnreadable, "the settings cannot be read: \(error)")
    }
    guard let bytes else {
      throw AuthError(.jsonTooLarge, "\(path.printable()) is longer than \(JSONLimits.standard.bytes) bytes")
    }
    try self.init(parsing: bytes, name: path)
  }

  /// - Parameters:
  ///   - name: the file's name, for errors.
  ///   - namespace: the namespace that the users and groups of `clients` are of.
  package init(parsing bytes: [UInt8], name: String, in namespace: UserNamespace = .current) throws(AuthError) {
    let reader = try SettingsReader(bytes, name)
    try reader.require([
      "fetchesPerSecond", "takeoverSeconds", "encryptionKeyFile", "onNeedsPerson", "clients", "accounts", "files",
    ])
    if let count = try reader.number("fetchesPerSecond", in: 1...10_000) { fetchesPerSecond = count }
    if let seconds = try reader.number("takeoverSeconds", in: 1...86_400) { takeoverSeconds = seconds }
    encryptionKeyFiles = try reader.paths("encryptionKeyFile")
    onNeedsPerson = try reader.text("onNeedsPerson")
    for (name, rule) in try reader.objects("clients") {
      clients.append(try ClientRule(name, rule, in: namespace))
    }
    for (name, account) in try reader.objects("accounts") {
      try account.requireName(name)
      accounts[name] = try AccountSettings(account)
    }
    for (name, file) in try reader.objects("files") {
      try file.requireName(name)
      let settings = try TokenFileSettings(file)
      if let other = files.first(where: { $0.value.path.isExactly(settings.path) }) {
        throw file.mistake("has the path of \(other.key.printable(upTo: 64)); each account needs a file of its own")
      }
      files[name] = settings
    }
  }
}

extension SettingsReader {
  /// Refuses an object whose name cannot be an account's.
  fileprivate func requireName(_ name: String) throws(AuthError) {
    guard (try? Agent.check(name)) == nil else { return }
    throw mistake("cannot be an account; \(Agent.nameAdvice)")
  }
}

/// A file into which the daemon writes each new token of an account.
package struct TokenFileSettings: Sendable, Hashable {
  package let path: String
  /// A shell command that runs after each change of the file.
  package let onChange: String?

  /// - Parameter reader: the file's object.
  init(_ reader: SettingsReader) throws(AuthError) {
    try reader.require(["path", "onChange"])
    guard let path = try reader.path("path") else { throw reader.mistake("needs a path") }
    (self.path, onChange) = (path, try reader.text("onChange"))
  }
}

/// The source of an account's tokens.
package enum AccountSettings: Sendable, Hashable {
  /// The session that `gate` keeps in a home.
  case home(String)
  /// A service account, by its file.
  case serviceAccount(file: String, scopes: [String])
  /// A file with a token that another program writes.
  case tokenFile(String, lifetime: Duration)

  /// Parses the object of one account, as in the settings.
  ///
  /// - Parameter name: the file's name, for errors.
  package init(parsing bytes: [UInt8], name: String) throws(AuthError) {
    try self.init(try SettingsReader(bytes, name))
  }

  /// The object that `init(parsing:name:)` reads.
  package var json: JSONObject {
    switch self {
    case .home(let path): return ["home": .string(path)]
    case .serviceAccount(let file, let scopes):
      var json: JSONObject = ["serviceAccountFile": .string(file)]
      if !scopes.isEmpty { json["scopes"] = .array(scopes.map(JSONValue.string)) }
      return json
    case .tokenFile(let path, let lifetime):
      return ["tokenFile": .string(path), "lifetimeSeconds": .number(JSONNumber(lifetime.wholeSeconds))]
    }
  }

  /// - Parameter reader: the account's object.
  init(_ reader: SettingsReader) throws(AuthError) {
    let kinds = ["home", "serviceAccountFile", "tokenFile"]
    try reader.require(kinds + ["scopes", "lifetimeSeconds"])
    guard reader.names.filter(kinds.contains).count == 1 else {
      throw reader.mistake("needs exactly one of \(kinds.joined(separator: ", "))")
    }
    let scopes = try reader.texts("scopes"), seconds = try reader.number("lifetimeSeconds", in: 1...31_536_000)
    if let home = try reader.path("home") {
      self = .home(home)
    } else if let file = try reader.path("serviceAccountFile") {
      self = .serviceAccount(file: file, scopes: scopes ?? [])
    } else {
      self = .tokenFile(try reader.path("tokenFile") ?? "", lifetime: .seconds(seconds ?? 300))
    }
    if scopes != nil, reader.names.contains("serviceAccountFile") == false {
      throw reader.mistake("has scopes, which only a serviceAccountFile has")
    }
    if seconds != nil, reader.names.contains("tokenFile") == false {
      throw reader.mistake("has lifetimeSeconds, which only a tokenFile has")
    }
  }
}

extension ClientRule {
  /// - Parameters:
  ///   - name: the rule's name.
  ///   - reader: the rule's object.
  ///   - namespace: the namespace that the user and the group are of.
  fileprivate init(_ name: String, _ reader: SettingsReader, in namespace: UserNamespace) throws(AuthError) {
    try reader.require(["user", "group", "executable", "accounts", "refresh", "metrics"])
    let highest = Int(UInt32.max) - 1
    let user = try reader.number("user", in: 0...highest).map { UInt32($0) }
    let group = try reader.number("group", in: 0...highest).map { UInt32($0) }
    let executable = try reader.path("executable")
    guard user != nil || group != nil || executable != nil else {
      throw reader.mistake("names no program; name a user, a group or an executable")
    }
    if let user, namespace.known(user: user) == nil {
      throw reader.mistake(
        "names user \(user), which stands for every user that this user namespace does not map; name another user")
    }
    if let group, namespace.known(group: group) == nil {
      throw reader.mistake(
        "names group \(group), which stands for every group that this user namespace does not map; name another group")
    }
    let given = try reader.accounts("accounts") { name throws(AuthError) in try Agent.check(name) }
    guard let accounts = given else {
      throw reader.mistake(
        "names no accounts; add \"accounts\": [\"NAME\"] with the accounts that its programs may have, or "
          + "\"accounts\": \"*\" for all")
    }
    self.init(
      name, user: user, group: group, executable: executable, accounts: accounts,
      refresh: try reader.flag("refresh") ?? false, metrics: try reader.flag("metrics") ?? false)
  }
}
