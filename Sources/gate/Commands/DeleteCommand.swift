import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate delete`
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete the signed-in user's account for good, and sign out.",
    discussion: """
      The password is asked for, though the user is signed in: what is deleted cannot be brought back. An ID token \
      that was handed out is good until it expires. To end the session and keep the account, there is gate sign-out.
      """)

  @Flag(help: "Delete an account that has no password, too.") var yes = false
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.home()
    let account = try await home.account()
    var password: Secret?
    if let email = account.email {
      password = try self.password.password(of: email, for: ", to delete the account")
    }
    guard password != nil || yes else {
      throw AuthError(.invalidArgument, "\(account.line) has no password to ask for; --yes deletes it all the same")
    }
    try await home.signInAgain(account, password: password, secondFactor)
    try await home.withSession { auth throws(AuthError) in
      try await typed { try await auth.user(of: account).delete() }
    }
    try answer.write("deleted: \(account.line)", json: ["deleted": .bool(true), "uid": .string(account.uid)])
  }
}
