import ArgumentParser
import Gatehouse

/// `gate sign-up EMAIL`
struct SignUpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-up", abstract: "Make an account and sign in to it.",
    discussion: "The first sign-up in a home makes its identity provider, with a key of its own.")

  @Argument(help: "The account's e-mail address.") var email: String
  @OptionGroup var password: PasswordOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let password = try password.password(isNew: true)
    let user = try await home.home().withSession { auth throws(AuthError) in
      try await auth.readyForSignIn()
      return try await auth.createUser(withEmail: email, password: password.revealed).user
    }
    try answer.write("made an account and signed in: \(user.line)", json: user.json)
  }
}
