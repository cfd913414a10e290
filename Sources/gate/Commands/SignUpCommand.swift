import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseLocal

/// `gate sign-up EMAIL`
struct SignUpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-up", abstract: "Make an account and sign in to it.",
    discussion: """
      The first sign-up in a home makes its identity provider, with a key of its own; with --backend a server has the \
      account. With --anonymous the account has no address: only this home's session can use it, until gate link gives \
      it a way to sign in. An anonymous user who is signed in already stays.
      """)

  @Argument(help: "The account's e-mail address.") var email: String?
  @Flag(help: "Make an account without an address and a password.") var anonymous = false
  @OptionGroup var keeping: KeepingOptions
  @OptionGroup var password: PasswordOptions
  @OptionGroup var tenant: TenantOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email == "" { throw ValidationError("the e-mail address is empty") }
    guard (email == nil) == anonymous else {
      throw ValidationError(
        anonymous ? "an anonymous account has no address" : "name the account's address, or give --anonymous")
    }
    if anonymous, password.isGiven { throw ValidationError("an anonymous account has no password") }
  }

  func run() async throws {
    let home = keeping.applied(to: try home.homeForSignIn())
    guard let email else { return try await signUpAnonymously(home) }
    try await home.checkNewAddress(email, tenantID: tenant.id)
    let tenantID = tenant.id
    let password = try await password.newPassword(of: email) {
      await home.newPasswordRules(tenantID: tenantID).require
    }
    let user = try await home.withSession(beginsProvider: true) { auth throws(AuthError) in
      try await auth.readyForSignIn()
      // Otherwise this would be the tenant of the user who is signed in.
      auth.tenantID = tenant.id
      do throws(AuthError) {
        return try await typed { try await auth.createUser(withEmail: email, password: password.revealed).user }
      } catch {
        // The session is stored last: at that point the provider has already made the account.
        guard error.isOfStore else { throw error }
        throw AuthError(
          error.code,
          "the account \(email) was made, but this session could not be stored: \(error.message); "
            + "when that is mended, run: gate sign-in \(email)")
      }
    }
    try await home.becomeCurrent()
    do throws(AuthError) {
      try answer.write("made an account and signed in: \(user.line)", json: user.json)
    } catch {
      guard error != StandardOutput.readerGone else { throw error }
      throw AuthError(error.code, "the account \(email) was made, and is signed in, but \(error.message)")
    }
  }
}

extension SignUpCommand {
  private func signUpAnonymously(_ home: Home) async throws {
    let (line, json) = try await home.withSession(beginsProvider: true) { auth throws(AuthError) in
      try await auth.readyForSignIn()
      auth.tenantID = tenant.id
      let user = try await typed { try await auth.signInAnonymously().user }
      return (user.line, user.json)
    }
    try await home.becomeCurrent()
    try answer.write("signed in: \(line)", json: json)
  }
}

extension Home {
  /// Refuses an address that no new account can have, before a password is asked for. Another program may still take
  /// the address in the meantime.
  fileprivate func checkNewAddress(_ email: String, tenantID: String?) async throws(AuthError) {
    guard server == nil else { return }
    try LocalBackend.checkAddress(email, isNew: true)
    guard HomeView.hasProvider(self) else { return }
    try await withProvider { backend throws(AuthError) in
      guard let tenantID else { return try await backend.requireFree(email) }
      try await backend.requireFree(email, inTenant: tenantID)
    }
  }
}

extension AuthError {
  /// Whether the error comes from the session store.
  fileprivate var isOfStore: Bool {
    [.storeFailed, .storeUnreadable, .storeUnsafe, .storeDamaged, .storeTooNew].contains(code)
  }
}
