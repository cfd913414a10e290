import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate reset-password EMAIL`
struct ResetPasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset-password", abstract: "Make the message that lets a user set a new password.",
    discussion: """
      The message is the answer: hand it to the user, or have a mail program do that (--sendmail). Its link is good \
      once, and for an hour; gate apply-code sets the new password with it. To set a password yourself, there is \
      gate users update. A server of --backend sends its message itself.
      """)

  @Argument(help: "The account's e-mail address.") var email: String
  @OptionGroup var tenant: TenantOptions
  @OptionGroup var messages: MessageOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email.isEmpty { throw ValidationError("the e-mail address is empty") }
  }

  func run() async throws {
    let home = try home.homeForSignIn()
    try home.requireProvider()
    try messages.check(home)
    try home.checkAddress(email, isNew: false)
    try await messages.write(to: email, home, answer) { auth throws(AuthError) in
      auth.tenantID = tenant.id
      try await typed { try await auth.sendPasswordReset(withEmail: email) }
    }
  }
}
