import ArgumentParser
import Foundation
import Gatehouse
import GatehouseBase

/// `gate sign-in-link EMAIL`
struct SignInLinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in-link", abstract: "Make the message whose link signs a user in.",
    discussion: """
      The message is the answer: hand it to the user, or have a mail program do that (--sendmail). Its link is good \
      once; gate sign-in EMAIL --email-link takes it. If no account has the address, the sign-in makes one. A server \
      of --backend sends its message itself.
      """)

  @Argument(help: "The e-mail address.") var email: String
  @Option(
    help: ArgumentHelp("The page of an app that the link leads to; its host must be allowed.", valueName: "url"))
  var url = "http://localhost/"
  @OptionGroup var tenant: TenantOptions
  @OptionGroup var messages: MessageOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email.isEmpty { throw ValidationError("the e-mail address is empty") }
    if URL(string: url)?.scheme == nil { throw ValidationError("--url is no address such as https://example.com/app") }
  }

  func run() async throws {
    let home = try home.homeForSignIn()
    try home.requireProvider()
    try messages.check(home)
    try home.checkAddress(email, isNew: false)
    let settings = ActionCodeSettings()
    settings.handleCodeInApp = true
    settings.url = URL(string: url)
    try await messages.write(to: email, home, answer, takenBy: "gate sign-in \(email.shown) --email-link") {
      auth throws(AuthError) in
      auth.tenantID = tenant.id
      try await typed { try await auth.sendSignInLink(toEmail: email, actionCodeSettings: settings) }
    }
  }
}
