import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate users create [EMAIL]`
struct UsersCreateCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make an account, without signing in to it.",
    discussion: """
      Without a password its user signs in by a link, by a custom token, or after a password reset. The home must have \
      a provider: the first gate sign-up makes it.
      """)

  @Argument(help: "The account's e-mail address.") var email: String?
  @Option(help: ArgumentHelp("The account's identifier; made up if it is not given.", valueName: "uid"))
  var uid: String?
  @OptionGroup var tenant: TenantOptions
  @OptionGroup var profile: ProfileOptions
  @Flag(help: "Take the address for the user's own.") var emailVerified = false
  @Flag(help: "Make it disabled.") var disabled = false
  @OptionGroup var passwords: SetPasswordOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if email == "" { throw ValidationError("the e-mail address is empty") }
    if passwords.isAsked, email == nil { throw ValidationError("an account with a password needs an address") }
  }

  func run() async throws {
    let home = try home.home()
    try home.requireProvider()
    if let email { try LocalBackend.checkAddress(email, isNew: true) }
    var draft = AccountDraft()
    draft.uid = uid
    draft.tenantID = tenant.id
    draft.email = email
    draft.isEmailVerified = emailVerified
    draft.displayName = profile.displayName
    draft.photoURL = profile.photoURL
    draft.isDisabled = disabled
    draft.claims = profile.claims ?? JSONObject()
    draft.password = try await passwords.password(of: email ?? "", in: home, tenantID: tenant.id)
    let made = try await home.administer { [draft] backend throws(AuthError) in try await backend.createAccount(draft) }
    try answer.write("made an account: \(made.line)", json: made.json)
  }
}

/// The options for what an administrator sets in an account.
struct ProfileOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The name to show; an empty one removes it.", valueName: "name")) var displayName: String?
  @Option(
    name: .customLong("photo-url"),
    help: ArgumentHelp("The picture's address; an empty one removes it.", valueName: "url"))
  var photoURL: String?
  @Option(
    help: ArgumentHelp(
      "What ID tokens say of the user, as a JSON object, from the next refresh on; {} removes it.", valueName: "json"),
    transform: gate.claims)
  var claims: JSONObject?
}

/// The options for a password that an administrator gives to an account. It is asked for with `--password`, and never
/// passed in the arguments.
struct SetPasswordOptions: ParsableArguments {
  @Flag(name: .customLong("password"), help: "Ask for a new password.") var asks = false
  @OptionGroup var source: PasswordOptions

  /// Whether a password was asked for.
  var isAsked: Bool { asks || source.isGiven }

  /// Returns the password, or `nil` if none was asked for.
  func password(of account: String, in home: Home, tenantID: String?) async throws -> Secret? {
    guard isAsked else { return nil }
    return try await source.newPassword(of: account, for: ", the new one") {
      await home.newPasswordRules(tenantID: tenantID).require
    }
  }
}
