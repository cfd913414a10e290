import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate saved-users`
struct SavedUsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "saved-users", abstract: "List, switch and forget the users whose sessions the home keeps.",
    discussion: """
      gate sign-in EMAIL --keep keeps the session of the user who is signed in then. NAME is a user's address or \
      identifier. A sign-out ends the session of the current user only. Each server's users are kept apart: --backend \
      names the server, also while a user of another one is signed in.
      """,
    subcommands: [SavedUsersListCommand.self, SavedUsersSwitchCommand.self, SavedUsersForgetCommand.self])
}

/// `gate saved-users list`
struct SavedUsersListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the users, the current one first.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let users = try await home.homeForSignIn().keepingUsers().withSessionAtHand { auth throws(AuthError) in
      try await typed { try await auth.savedUsers() }
    }
    try answer.write(
      users.isEmpty ? "no user is saved" : users.map(\.line).table,
      json: ["savedUsers": .array(users.map { .object($0.json) })])
  }
}

/// `gate saved-users switch NAME`
struct SavedUsersSwitchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch", abstract: "Make a saved user the current one, without a password.",
    discussion: "The user who is signed in now is kept. The provider is not asked.")

  @Argument(help: ArgumentHelp("The user's address or identifier.", valueName: "name")) var name: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.homeForSignIn().keepingUsers()
    let (line, json) = try await home.withSessionAtHand { auth throws(AuthError) in
      let saved = try await auth.savedUser(named: name)
      // A session of another tenant than the one that is set is refused.
      auth.tenantID = saved.tenantID
      let user = try await typed { try await auth.switchUser(toUID: saved.uid) }
      return (user.line, user.json)
    }
    // A sign-out has forgotten whose session the home has.
    try await home.becomeCurrent()
    try answer.write("switched to \(line)", json: json)
  }
}

/// `gate saved-users forget NAME`
struct SavedUsersForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Erase a saved user's session from the home.",
    discussion: """
      The provider is not asked, so the session goes on there; gate sign-out --everywhere ends it. The current user's \
      session is ended by gate sign-out.
      """)

  @Argument(help: ArgumentHelp("The user's address or identifier.", valueName: "name")) var name: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let forgotten = try await home.homeForSignIn().keepingUsers().withSessionAtHand { auth throws(AuthError) in
      let saved = try await auth.savedUser(named: name)
      guard !saved.isCurrent else {
        throw AuthError(.operationNotAllowed, "\(saved.line) is signed in; gate sign-out ends that session")
      }
      try await typed { try await auth.forgetUser(withUID: saved.uid) }
      return saved
    }
    try answer.write("forgot \(forgotten.line)", json: ["forgotten": .bool(true), "uid": .string(forgotten.uid)])
  }
}

extension Auth {
  /// Returns the saved user with this address or identifier.
  fileprivate func savedUser(named name: String) async throws(AuthError) -> SavedUser {
    let users = try await typed { try await savedUsers() }
    let found =
      users.first { $0.uid.isExactly(name) }.map { [$0] } ?? users.filter { $0.email?.isExactly(name) == true }
    guard let user = found.first else {
      throw AuthError(.invalidArgument, "no saved user is called \(name.shown); gate saved-users list shows them")
    }
    guard found.count == 1 else {
      throw AuthError(.invalidArgument, "several saved users have the address \(name.shown); name the identifier")
    }
    return user
  }
}

extension SavedUser {
  /// The user's name and identifier, for people to read.
  fileprivate var line: String {
    let name = email ?? displayName ?? "anonymous"
    let tenant = tenantID.map { ", of the tenant \($0.shown)" } ?? ""
    return "\(name.shown) (\(uid.shown))\(tenant)\(isCurrent ? ", signed in" : "")"
  }

  /// The members for programs; unknown values are omitted.
  fileprivate var json: JSONObject {
    var json: JSONObject = ["uid": .string(uid)]
    json["tenantID"] = tenantID.map(JSONValue.string)
    json["email"] = email.map(JSONValue.string)
    json["displayName"] = displayName.map(JSONValue.string)
    json["current"] = .bool(isCurrent)
    return json
  }
}
