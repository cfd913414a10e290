import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate users show NAME`
struct UsersShowCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show all that is known of an account.")

  @OptionGroup var account: AccountOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let found = try await home.home().administer { backend throws(AuthError) in
      try await backend.account(account.name)
    }
    try answer.write(found.description(at: SystemClocks().wall), json: found.json)
  }
}
