import ArgumentParser
import Gatehouse

/// `gate sign-out`
struct SignOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "End the session, and erase it from the home.",
    discussion: "An ID token that was handed out is good until it expires.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let user = try await home.home().withSession { auth throws(AuthError) in
      try await auth.ready()
      let user = auth.currentUser
      try auth.signOut()
      return user?.line
    }
    try answer.write(
      user.map { "signed out: \($0)" } ?? "nobody was signed in", json: ["signedOut": .bool(user != nil)])
  }
}
