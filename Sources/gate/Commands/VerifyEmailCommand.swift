import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseLocal

/// `gate verify-email`
struct VerifyEmailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-email", abstract: "Make the message that verifies the signed-in user's address.",
    discussion: """
      The message is the answer: hand it to the user, or have a mail program do that (--sendmail). Its link is good \
      once, and for three days; gate apply-code verifies the address with it.
      """)

  @OptionGroup var messages: MessageOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let account = try await home.account()
    guard account.email != nil else { throw AuthError(.missingEmail, "\(account.line) has no address to verify") }
    let sent = messages.messages
    try await home.withSession(delivery: sent) { auth throws(AuthError) in
      try await auth.user(of: account).sendEmailVerification()
    }
    try messages.write(try sent.last, answer)
  }
}
