import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate users list`
struct UsersListCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the accounts, in the order of their identifiers.",
    discussion: """
      One account a line; with --json each line is a JSON object of its own. Accounts are read in pages of a thousand, \
      so that memory does not grow with their number. Accounts that are made or deleted meanwhile may be there or not.
      """)

  @Option(help: ArgumentHelp("How many accounts at most.", valueName: "count")) var limit: Int?
  @Option(help: ArgumentHelp("Begin after the account with this identifier.", valueName: "uid")) var after: String?
  @Option(help: ArgumentHelp("List the accounts of this tenant only.", valueName: "id")) var tenant: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if tenant == "" { throw ValidationError("--tenant is empty; leave it out for all accounts") }
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1 on") }
  }

  func run() async throws {
    try await home.home().administer { backend throws(AuthError) in
      var last = after
      var left = limit ?? .max
      while left > 0 {
        let page = try await page(of: backend, after: last, limit: min(left, 1000))
        guard let end = page.last else { return }
        try StandardOutput.write(line: page.map { answer.asJSON ? "\($0.json)".withHiddenEscapes : $0.line }.table)
        last = end.uid
        left -= page.count
      }
    }
  }

  private func page(
    of backend: LocalBackend, after last: String?, limit: Int
  ) async throws(AuthError) -> [AccountRecord] {
    guard let tenant else { return try await backend.accounts(after: last, limit: limit) }
    return try await backend.accounts(ofTenant: tenant, after: last, limit: limit)
  }
}
