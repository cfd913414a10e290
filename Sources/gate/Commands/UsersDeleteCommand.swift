import ArgumentParser
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

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
    if !yes { try confirm(found) }
    // By its identifier: meanwhile its address may have become another account's.
    let deleted = try await home.administer { backend throws(AuthError) in
      try await backend.deleteAccount(AccountName(found.uid))
    }
    try answer.write(
      "deleted: \(deleted.line)", json: ["deleted": .bool(true), "uid": .string(deleted.uid)])
  }

  private func confirm(_ account: AccountRecord) throws {
    guard let terminal = Terminal() else {
      throw ValidationError("there is no terminal to ask whether the account is to be deleted; use --yes")
    }
    let typed: [UInt8]
    do throws(SystemError) { typed = try terminal.line("Delete \(account.line) for good? Type yes: ") } catch {
      throw AuthError(.invalidArgument, "the terminal cannot be used (\(error)); use --yes")
    }
    guard typed == Array("yes\n".utf8) else { throw AuthError(.cancelled, "the answer was not yes; nothing was done") }
  }
}
