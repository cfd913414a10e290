import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate users disable NAME`
struct UsersDisableCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Refuse an account's user, until it is enabled again.",
    discussion:
      "Sign-ins and refreshes are refused from now on. An ID token that was handed out is good until it expires.")

  @OptionGroup var account: AccountOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let changed = try await home.home().administer { backend throws(AuthError) in
      try await backend.setDisabled(account.name, true)
    }
    try answer.write("disabled: \(changed.name)", json: changed.json)
  }
}

/// `gate users enable NAME`
struct UsersEnableCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Let the user of a disabled account in again.",
    discussion: "The account's sessions go on, unless they were revoked.")

  @OptionGroup var account: AccountOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let changed = try await home.home().administer { backend throws(AuthError) in
      try await backend.setDisabled(account.name, false)
    }
    try answer.write("enabled: \(changed.line)", json: changed.json)
  }
}

/// `gate users revoke NAME`
struct UsersRevokeCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "End every session of an account.",
    discussion: """
      Refreshes are refused from now on, and the provider accepts none of the account's earlier ID tokens. A verifier \
      that does not ask the provider accepts an ID token until it expires.
      """)

  @OptionGroup var account: AccountOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let changed = try await home.home().administer { backend throws(AuthError) in
      try await backend.revoke(account.name)
    }
    try answer.write("ended the sessions of \(changed.line)", json: changed.json)
  }
}
