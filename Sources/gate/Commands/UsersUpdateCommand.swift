import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate users update NAME`
struct UsersUpdateCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change an account.",
    discussion: """
      What is not named stays as it is. Another address is not verified unless --email-verified says so. A new address \
      or password ends the account's sessions. Claims are in ID tokens from the next refresh on; the provider's own \
      claims win.
      """)

  @OptionGroup var account: AccountOptions
  @Option(help: ArgumentHelp("The new address.", valueName: "email")) var email: String?
  @OptionGroup var profile: ProfileOptions
  @Flag(inversion: .prefixedNo, help: "Whether the address counts as the user's own.") var emailVerified: Bool?
  @OptionGroup var passwords: SetPasswordOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if email == "" { throw ValidationError("--email has no value; an account's address cannot be removed") }
    if edit.isEmpty, !passwords.isAsked { throw ValidationError("say what is to change; --help lists the options") }
  }

  private var edit: AccountEdit {
    var edit = AccountEdit()
    edit.email = email
    edit.isEmailVerified = emailVerified
    edit.displayName = profile.displayName
    edit.photoURL = profile.photoURL
    edit.claims = profile.claims
    return edit
  }

  func run() async throws {
    let home = try home.home()
    var edit = edit
    if let email { try LocalBackend.checkAddress(email, isNew: true) }
    if passwords.isAsked {
      // A missing account is reported before a password is asked for.
      let found = try await home.administer { backend throws(AuthError) in try await backend.account(account.name) }
      edit.password = try await passwords.password(of: found.line, in: home, tenantID: found.tenantID)
    }
    let changed = try await home.administer { [edit] backend throws(AuthError) in
      try await backend.updateAccount(account.name, edit)
    }
    try answer.write("changed: \(changed.line)", json: changed.json)
  }
}
