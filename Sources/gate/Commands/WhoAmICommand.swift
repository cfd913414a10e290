import ArgumentParser
import Gatehouse

/// `gate whoami`
struct WhoAmICommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami", abstract: "Show the signed-in user, without asking the provider.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    // Both are read before the session is closed.
    let (line, json) = try await home.home().withSessionAtHand { auth throws(AuthError) in
      let user = try await auth.requireUser()
      return (user.line, user.json)
    }
    try answer.write(line, json: json)
  }
}
