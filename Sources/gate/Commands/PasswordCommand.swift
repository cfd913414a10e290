import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate password`
struct PasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Change the signed-in user's password.",
    discussion: """
      The present password is asked for, though the user is signed in. All other sessions of the account end: their \
      programs must sign in again. This home's session goes on.
      """)

  @OptionGroup var passwords: PasswordChangeOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.home()
    let account = try await home.account()
    guard let email = account.email else {
      throw AuthError(.invalidArgument, "\(account.line) has no address, and so no password")
    }
    let new: Secret
    // A wrong password is reported before the person types a new one twice. No session is open while the person types.
    if let given = try passwords.given() {
      try await home.signInAgain(account, password: given.present, secondFactor)
      new = given.new
    } else {
      let rules = try await passwords.typedPresent(of: email) { present, showing in
        try await home.signInAgain(account, password: present, secondFactor, beforePrompt: showing)
        return await home.newPasswordRules(tenantID: account.tenantID)
      }
      new = try passwords.typedNew(rules.require)
    }
    let user = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      try await typed { try await user.updatePassword(to: new.revealed) }
      return user
    }
    try answer.write("changed the password of \(user.line)", json: user.json)
  }
}
