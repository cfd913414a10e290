import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseSystem

/// `gate link`
struct LinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link", abstract: "Give the signed-in user another way to sign in.",
    discussion: """
      With EMAIL it is that address with a password, which is asked for, or with --email-link the link of a message \
      that gate sign-in-link has made. So an anonymous user keeps the account. With --provider it is the user of an \
      identity provider, such as google.com, whose ID token is read from standard input or asked for.

      Where the session is older than five minutes, sign in again first, unless the user is anonymous.
      """)

  @Argument(help: "The e-mail address.") var email: String?
  @OptionGroup var password: PasswordOptions
  @OptionGroup var link: EmailLinkOptions
  @Option(help: ArgumentHelp("The identity provider, such as google.com or oidc.NAME.", valueName: "id"))
  var provider: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if email == "" { throw ValidationError("the e-mail address is empty") }
    if provider == "" { throw ValidationError("--provider is empty") }
    guard (email == nil) != (provider == nil) else {
      throw ValidationError("name an address, or an identity provider with --provider; one way at a time")
    }
    if provider != nil, link.isAsked || password.isGiven {
      throw ValidationError("--provider needs an ID token, and neither a password nor a link")
    }
    if link.isAsked, password.isGiven { throw ValidationError("give a link or a password, not both") }
  }

  func run() async throws {
    let home = try home.home()
    let account = try await home.account()
    if let email { try home.checkAddress(email, isNew: true) }
    if email != nil, !link.isAsked { try await requireNoPassword(account, home) }
    let credential = try await credential(for: home)
    let (line, json) = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      let linked = try await typed { try await user.link(with: credential).user }
      return (linked.line, linked.json)
    }
    let way = provider?.shown ?? (link.isAsked ? "sign-in by link" : "a password")
    try answer.write("linked \(way) to \(line)", json: json)
  }

  /// Refuses an account that has a password, before a person types another one twice.
  private func requireNoPassword(_ account: SignedInAccount, _ home: Home) async throws(AuthError) {
    let providers = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      try await typed { try await user.reload() }
      return user.providerData.map(\.providerID)
    }
    guard !providers.contains(EmailAuthProvider.id) else {
      throw AuthError(.providerAlreadyLinked, "\(account.line) has a password already; gate password changes it")
    }
  }

  /// Reads what proves the other way to sign in. No session is open while a person types.
  private func credential(for home: Home) async throws -> AuthCredential {
    if let provider {
      return OAuthProvider.credential(
        providerID: AuthProviderID(rawValue: provider), idToken: try TokenInput.token(nil))
    }
    let email = email ?? ""
    if link.isAsked { return EmailAuthProvider.credential(withEmail: email, link: try link.link().revealed) }
    let password = try await password.newPassword(of: email, for: ", a new one") {
      await home.newPasswordRules().require
    }
    return EmailAuthProvider.credential(withEmail: email, password: password.revealed)
  }
}
