import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate verify-email`
struct VerifyEmailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-email", abstract: "Make the message that verifies the signed-in user's address.",
    discussion: """
      The message is the answer: hand it to the user, or have a mail program do that (--sendmail). Its link is good \
      once, and for three days; gate apply-code verifies the address with it. A server of --backend sends its message \
      itself.
      """)

  @OptionGroup var messages: MessageOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.home()
    try messages.check(home)
    let account = try await home.account()
    guard let email = account.email else { throw AuthError(.missingEmail, "\(account.line) has no address to verify") }
    try await messages.write(to: email, home, answer) { auth throws(AuthError) in
      try await typed { try await auth.user(of: account).sendEmailVerification() }
    }
  }
}
