import ArgumentParser
import GatehouseBase
import GatehouseLocal
import IdentityToolkit

/// `gate users`
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Administer the accounts of the home's identity provider.",
    discussion: """
      Who can write to the home is its administrator: no account's password is asked for. NAME is an account's \
      address if it reads like one, and its identifier otherwise, or with --uid. Every change is in the provider's audit log.
      """,
    subcommands: [
      UsersListCommand.self, UsersShowCommand.self, UsersCreateCommand.self, UsersUpdateCommand.self,
      UsersDeleteCommand.self, UsersDisableCommand.self, UsersEnableCommand.self, UsersRevokeCommand.self,
      UsersImportCommand.self, UsersExportCommand.self,
    ])
}

/// The argument that names the account of a command.
struct AccountOptions: ParsableArguments {
  @Argument(help: ArgumentHelp("The account's identifier or address.", valueName: "name")) var text: String
  @Flag(name: .customLong("uid"), help: "The name is an identifier, even if it reads like an address.")
  var isUID = false

  func validate() throws {
    if text.isEmpty { throw ValidationError("the account's name is empty") }
  }

  var name: AccountName { isUID ? .uid(text) : AccountName(text) }
}

/// Reads the value of `--claims`, a JSON object.
func claims(_ argument: String) throws -> JSONObject {
  do throws(AuthError) { return try JSONObject(reading: argument.utf8) } catch {
    throw ValidationError("it is not a JSON object: \(error.message)")
  }
}

extension Home {
  /// Runs an administrator's command with the home's provider.
  ///
  /// - Parameter beginsProvider: whether a home without a provider gets one. If not, it is refused.
  func administer<Value: Sendable>(
    beginsProvider: Bool = false, _ work: (LocalBackend) async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    if beginsProvider { try requireOwn() } else { try requireProvider() }
    do throws(AuthError) {
      return try await withProvider(beginsProvider: beginsProvider) { backend throws(AuthError) in
        try await work(backend)
      }
    } catch {
      // The advice of the protocol's word is for the user: to sign in instead.
      guard error.serverWord == .emailExists else { throw error }
      throw AuthError(error.code, "another account has this address", server: .emailExists, email: error.email)
    }
  }
}
