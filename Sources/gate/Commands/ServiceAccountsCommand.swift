import ArgumentParser
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

/// `gate service-accounts`
struct ServiceAccountsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service-accounts", abstract: "List, make and delete the programs that administer the provider.",
    discussion: """
      A service account is a program that may do with all accounts what an administrator may. Its file has the form of \
      Google's, so that the Admin SDKs read it: the provider keeps the public key only.
      """,
    subcommands: [
      ServiceAccountsListCommand.self, ServiceAccountsCreateCommand.self, ServiceAccountsDeleteCommand.self,
      ServiceAccountsAddKeyCommand.self, ServiceAccountsDeleteKeyCommand.self,
    ])
}

/// `gate service-accounts list`
struct ServiceAccountsListCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the service accounts, in the order of their addresses.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let accounts = try await home.home().administer { backend throws(AuthError) in
      try await backend.serviceAccounts()
    }
    try answer.write(
      accounts.isEmpty ? "there is no service account" : accounts.map(\.line).table,
      json: ["serviceAccounts": .array(accounts.map { .object($0.json) })])
  }
}

/// `gate service-accounts create NAME`
struct ServiceAccountsCreateCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a service account, and the file with its key.",
    discussion: """
      The file makes its holder an administrator. It is written once, for its owner only (0600), over no other file. To \
      replace it, add another key (gate service-accounts add-key), hand its file out, and delete the first key.
      """)

  @Argument(help: ArgumentHelp("1 to 30 small letters, digits and hyphens.", valueName: "name")) var name: String
  @Option(
    help: ArgumentHelp("The new file; NAME.json unless given.", valueName: "file"), completion: .file(),
    transform: fileName)
  var out: String?
  @Option(
    name: .customLong("token-uri"),
    help: ArgumentHelp("Where the program reaches the server's /token.", valueName: "url"))
  var tokenURL = "http://127.0.0.1:9099/token"
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let path = out ?? "\(name).json"
    try home.requireNotOwn(path)
    let account = try await home.administer { backend throws(AuthError) in
      let draft = ServiceAccountDraft(name: name, tokenURL: tokenURL)
      return try await backend.createServiceAccount(draft) { file throws(AuthError) in
        try FileOutput.write(new: Array(file.revealed.utf8), to: path, .ownerOnly)
      }
    }
    try answer.write(
      "made a service account: \(account.line)\nits key: \(path.shown)",
      json: account.json(of: account.keys.first?.keyID ?? "", in: path))
  }
}

/// `gate service-accounts delete NAME`
struct ServiceAccountsDeleteCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a service account: its keys and its access tokens end at once.")

  @Argument(help: ArgumentHelp("The account's name or address.", valueName: "name")) var name: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let account = try await home.home().administer { backend throws(AuthError) in
      try await backend.deleteServiceAccount(name)
    }
    try answer.write("deleted: \(account.line)", json: ["deleted": .bool(true), "email": .string(account.email)])
  }
}

/// `gate service-accounts add-key NAME`
struct ServiceAccountsAddKeyCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-key", abstract: "Give a service account a further key, and write the file with it.",
    discussion: """

      The account's other keys go on to serve: hand the new file out, and then delete the old key.
      """)

  @Argument(help: ArgumentHelp("The account's name or address.", valueName: "name")) var name: String
  @Option(
    help: ArgumentHelp("The new file, which must not be there yet.", valueName: "file"), completion: .file(),
    transform: fileName)
  var out: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    try home.requireNotOwn(out)
    let (account, keyID) = try await home.administer { backend throws(AuthError) in
      try await backend.addServiceAccountKey(name) { file throws(AuthError) in
        try FileOutput.write(new: Array(file.revealed.utf8), to: out, .ownerOnly)
      }
    }
    try answer.write(
      "made a key: \(account.email.shown), key \(keyID)\nits file: \(out.shown)",
      json: account.json(of: keyID, in: out))
  }
}

/// `gate service-accounts delete-key NAME KID`
struct ServiceAccountsDeleteKeyCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-key",
    abstract: "Delete one key of a service account: it and its access tokens end at once.")

  @Argument(help: ArgumentHelp("The account's name or address.", valueName: "name")) var name: String
  @Argument(help: ArgumentHelp("The key's name, private_key_id in its file.", valueName: "kid")) var keyID: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let account = try await home.home().administer { backend throws(AuthError) in
      try await backend.deleteServiceAccountKey(keyID, of: name)
    }
    try answer.write(
      "deleted the key \(keyID.shown) of \(account.email.shown)",
      json: ["deleted": .bool(true), "email": .string(account.email), "kid": .string(keyID)])
  }
}

extension ServiceAccountRecord {
  /// For people to read.
  fileprivate var line: String {
    "\(email.shown), \(keys.count == 1 ? "key" : "keys") \(keys.map(\.keyID).joined(separator: ", "))"
  }

  /// For programs. Times are in seconds since 1970.
  fileprivate var json: JSONObject {
    [
      "email": .string(email), "keys": .array(keys.map(\.json)), "tokenURI": .string(tokenURL),
      "created": .number(JSONNumber(createdAt / 1000)),
    ]
  }

  /// The account with a key that was just created, for programs.
  fileprivate func json(of keyID: String, in path: String) -> JSONObject {
    [
      "email": .string(email), "kid": .string(keyID), "tokenURI": .string(tokenURL),
      "created": .number(JSONNumber(createdAt / 1000)), "file": .string(path),
    ]
  }
}

extension ServiceAccountKeyRecord {
  fileprivate var json: JSONValue { ["kid": .string(keyID), "created": .number(JSONNumber(createdAt / 1000))] }
}
