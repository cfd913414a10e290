import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate sessions`
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List and end the signed-in user's sessions, on all machines.",
    discussion: "Each sign-in is a session until it ends. A sign-out of this home leaves its session to the provider.",
    subcommands: [SessionsListCommand.self, SessionsEndCommand.self])
}

/// `gate sessions list`
struct SessionsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the sessions, in the order in which they began.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.home()
    let sessions = try await home.withSession { auth throws(AuthError) in
      try await typed { try await auth.requireUser().sessions() }
    }
    let now = SystemClocks().wall
    try answer.write(
      sessions.map { $0.line(at: now) }.table,
      json: ["sessions": .array(sessions.map { .object($0.json) })])
  }
}

/// `gate sessions end`
struct SessionsEndCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "End a session, or all but this one.",
    discussion: """
      A session that was ended gets no more ID tokens. A verifier that does not ask the provider accepts those that it \
      has until they expire. The end of the home's own session signs out here; gate sign-out --everywhere ends all. An \
      identifier that begins with a hyphen is written behind --.
      """)

  @Argument(help: ArgumentHelp("The session's identifier.", valueName: "id")) var id: String?
  @Flag(help: "End all sessions but this one.") var others = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if id == "" { throw ValidationError("the session's identifier is empty") }
    if id == nil, !others { throw ValidationError("name a session, or give --others for all but this one") }
    if id != nil, others { throw ValidationError("--others ends all but this one; leave it out to end the one named") }
  }

  func run() async throws {
    let ended = try await home.home().withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      let ending = try ending(among: try await typed { try await user.sessions() })
      for session in ending { try await typed { try await user.revokeSession(session.id) } }
      if ending.contains(where: \.isCurrent) { try typed { try auth.signOut() } }
      return ending
    }
    try answer.write(
      ended.isEmpty
        ? "there is no other session"
        : "ended \(counted(ended.count, "session"))\(ended.contains { $0.isCurrent } ? ", and signed out" : "")",
      json: ["ended": .array(ended.map { .string($0.id) })])
  }

  private func ending(among sessions: [UserSessionInfo]) throws(AuthError) -> [UserSessionInfo] {
    guard let id else { return sessions.filter { !$0.isCurrent } }
    guard let session = sessions.first(where: { $0.id.isExactly(id) }) else {
      throw AuthError(.invalidArgument, "no session is called \(id.shown); gate sessions list shows them")
    }
    return [session]
  }
}

extension UserSessionInfo {
  /// For people to read.
  fileprivate func line(at now: Double) -> String {
    let began = Moment(signInDate)?.text(seenAt: now)
    let how = signInProvider.shown + (signInSecondFactor.map { " and \($0.shown)" } ?? "")
    return [id.shown, how, began, isCurrent ? "this one" : nil].compactMap { $0 }.joined(separator: ", ")
  }

  /// For programs; unknown values are omitted. The time is in seconds since 1970.
  fileprivate var json: JSONObject {
    var json: JSONObject = ["id": .string(id), "signInMethod": .string(signInProvider)]
    json["secondFactor"] = signInSecondFactor.map(JSONValue.string)
    json["began"] = Moment(signInDate)?.json
    json["current"] = .bool(isCurrent)
    return json
  }
}
