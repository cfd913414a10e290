import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate sign-out`
struct SignOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "End the session, and erase it from the home.",
    discussion: """
      An ID token that was handed out is good until it expires. A session that is damaged is erased as well, and so \
      are damaged ones that earlier sign-ins kept aside: they may hold tokens.

      With --everywhere all sessions of the user end, on every machine. gate sessions lists them.
      """)

  @Flag(help: "End all sessions of the user, on every machine.") var everywhere = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.home()
    if everywhere { return try await signOutEverywhere(home) }
    var user: String?
    var damage: AuthError?
    do throws(AuthError) {
      user = try await home.withSessionAtHand { (auth) throws(AuthError) in
        try await typed { try await auth.ready() }
        let user = auth.currentUser
        try typed { try auth.signOut() }
        return user?.line
      }
    } catch {
      guard error.code == .storeDamaged else { throw error }
      damage = error
    }
    let erased = try await home.store.eraseDamaged()
    if let damage, erased == 0 { throw damage }
    try home.forgetServer()
    let what: String
    if let user {
      what = "signed out: \(user)"
    } else {
      what = damage == nil ? "no user was signed in" : "signed out; the session was damaged, so its user is unknown"
    }
    var json: JSONObject = ["signedOut": .bool(user != nil || damage != nil)]
    if erased > 0 { json["damagedErased"] = .number(JSONNumber(erased)) }
    try answer.write(erased > 0 ? "\(what); erased \(counted(erased, "damaged file"))" : what, json: json)
  }

  /// Ends all sessions of the signed-in user. It must be known whose sessions these are, so a damaged session is an
  /// error here.
  private func signOutEverywhere(_ home: Home) async throws(AuthError) {
    let user = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.requireUser().line
      try await typed { try await auth.signOutEverywhere() }
      return user
    }
    try home.forgetServer()
    try answer.write("signed out everywhere: \(user)", json: ["signedOut": .bool(true), "everywhere": .bool(true)])
  }
}
