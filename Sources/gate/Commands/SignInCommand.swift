import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate sign-in EMAIL`
struct SignInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: "Sign in; signs out the current user.",
    discussion: """
      With --keep the current user's session is kept, and gate saved-users switches back to it; so it is in a home \
      that has kept one already.

      With --email-link the link of a message takes the place of the password: gate sign-in-link EMAIL makes the \
      message.

      If the account has a second factor, its code is asked for as well: what the authenticator app shows, or one of \
      the recovery codes, each of which is good once.
      """)

  @Argument(help: "The account's e-mail address.") var email: String
  @OptionGroup var password: PasswordOptions
  @OptionGroup var link: EmailLinkOptions
  @OptionGroup var keeping: KeepingOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var tenant: TenantOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email.isEmpty { throw ValidationError("the e-mail address is empty") }
    if link.isAsked, password.isGiven { throw ValidationError("give a link or a password, not both") }
  }

  func run() async throws {
    let home = keeping.applied(to: try home.homeForSignIn())
    try home.requireProvider()
    try home.checkAddress(email, isNew: false)
    let link = link.isAsked ? try link.link() : nil
    let password = link == nil ? try password.password(of: email) : Secret("")
    let user = try await home.signIn(with: secondFactor) { auth throws(AuthError) in
      try await auth.readyForSignIn()
      // Otherwise this would be the tenant of the user who is signed in.
      auth.tenantID = tenant.id
      return try await typed {
        if let link { return try await auth.signIn(withEmail: email, link: link.revealed).user }
        return try await auth.signIn(withEmail: email, password: password.revealed).user
      }
    }
    try await home.becomeCurrent()
    try answer.write("signed in: \(user.line)", json: user.json)
  }
}

/// `--keep`: whether a sign-in keeps the session that it replaces.
struct KeepingOptions: ParsableArguments {
  @Flag(name: .customLong("keep"), help: "Keep the session of the user who is signed in now.") var keeps = false

  func applied(to home: Home) -> Home { keeps ? home.keepingUsers() : home }
}
