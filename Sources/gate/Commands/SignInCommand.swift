import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate sign-in EMAIL`
struct SignInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in", abstract: "Sign in; signs out the current user.",
    discussion: """
      If the account has a second factor, its code is asked for as well: what the authenticator app shows, or one of \
      the recovery codes, each of which is good once.
      """)

  @Argument(help: "The account's e-mail address.") var email: String
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var tenant: TenantOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email.isEmpty { throw ValidationError("the e-mail address is empty") }
  }

  func run() async throws {
    let home = try home.homeForSignIn()
    try home.requireProvider()
    try home.checkAddress(email, isNew: false)
    let password = try password.password(of: email)
    let user = try await home.signIn(with: secondFactor) { auth throws(AuthError) in
      try await auth.readyForSignIn()
      // Otherwise this would be the tenant of the user who is signed in.
      auth.tenantID = tenant.id
      return try await typed { try await auth.signIn(withEmail: email, password: password.revealed).user }
    }
    try await home.becomeCurrent()
    try answer.write("signed in: \(user.line)", json: user.json)
  }
}
