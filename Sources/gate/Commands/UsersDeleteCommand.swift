import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate users delete NAME`
struct UsersDeleteCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an account for good.",
    discussion: """
      Asks first, unless --yes is given. An ID token that was handed out is good until it expires. To keep the account \
      and refuse its user, there is gate users disable.
      """)

  @OptionGroup var account: AccountOptions
  @Flag(help: "Do not ask.") var yes = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    let found = try await home.administer { backend throws(AuthError) in try await backend.account(account.name) }
    if !yes { try Confirmation.ask("Delete \(found.line) for good?") }
    // The account is deleted by its identifier: its address may belong to another account by now.
    let deleted = try await home.administer { backend throws(AuthError) in
      try await backend.deleteAccount(.uid(found.uid))
    }
    try answer.write(
      "deleted: \(deleted.line)", json: ["deleted": .bool(true), "uid": .string(deleted.uid)])
  }
}
