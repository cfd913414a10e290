import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate change-email EMAIL`
struct ChangeEmailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-email", abstract: "Make the message that gives the signed-in user another address.",
    discussion: """
      The password is asked for, though the user is signed in. The message is the answer: hand it to the new address, \
      or have a mail program do that (--sendmail). Its link is good once, and for three days; gate apply-code changes \
      the address with it, and ends the account's sessions. Then the former address is told, with a link that takes \
      the change back: by the provider's delivery if its settings name one, else in the home's outbox. \
      A server of --backend sends its messages itself.
      """)

  @Argument(help: "The new e-mail address.") var email: String
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var messages: MessageOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email.isEmpty { throw ValidationError("the e-mail address is empty") }
  }

  func run() async throws {
    let home = try home.home()
    try messages.check(home)
    let account = try await home.account()
    try home.checkAddress(email, isNew: true)
    guard let former = account.email else {
      throw AuthError(.missingEmail, "\(account.line) has no address to change")
    }
    guard email.lowercased() != former.lowercased() else {
      throw AuthError(.invalidArgument, "\(former.shown) is the account's address already; name another one")
    }
    let password = try password.password(of: former, for: ", to change the address")
    try await home.signInAgain(account, password: password, secondFactor)
    try await messages.write(to: email, home, answer) { auth throws(AuthError) in
      try await typed { try await auth.user(of: account).sendEmailVerification(beforeUpdatingEmail: email) }
    }
  }
}
