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
    let (present, given) = try passwords.present(of: email)
    // A wrong password is reported before the person types a new one twice. No session is open while the person types.
    try await home.signInAgain(account, password: present, secondFactor)
    let new: Secret
    if let given {
      new = given
    } else {
      new = try passwords.typedNew(await home.newPasswordRules(tenantID: account.tenantID).require)
    }
    let user = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      try await typed { try await user.updatePassword(to: new.revealed) }
      return user
    }
    try answer.write("changed the password of \(user.line)", json: user.json)
  }
}
