import GatehouseBase
import IdentityToolkit

extension AdminDesk {
  /// Imports users. Users that this side refuses are not sent; the server's indices count only the users who were sent.
  func importUsers(_ users: [UserImportRecord], _ hash: UserImportHash?) async throws(AuthError) -> UserImportResult {
    var faults: [UserImportResult.Fault] = []
    var accounts: [ImportedAccount] = []
    var indices: [Int] = []
    for (index, user) in users.enumerated() {
      do throws(AuthError) {
        accounts.append(try user.account())
        indices.append(index)
      } catch { faults.append(.init(index: index, error: error)) }
    }
    if !accounts.isEmpty {
      var call = ImportAccounts(users: accounts)
      // Without a password, the parameters would be checked needlessly.
      if users.contains(where: \.hasPassword) { hash?.write(to: &call) }
      for fault in try await answer(call).error ?? [] {
        guard indices.indices.contains(fault.index) else {
          throw AuthError(.responseInvalid, "the server refused a user who was not sent; is its URL right?")
        }
        faults.append(.init(index: indices[fault.index], error: AuthError.imported(fault.message)))
      }
    }
    faults.sort { $0.index < $1.index }
    return UserImportResult(successCount: users.count - faults.count, errors: faults)
  }
}

extension AuthError {
  /// Returns the reason why a user was not imported from an error code of the protocol, or a sentence.
  fileprivate static func imported(_ message: String) -> AuthError {
    let message = message.printable(upTo: 512)
    let error = AuthError(server: message)
    return error.code == .internalError ? AuthError(.invalidArgument, message) : error
  }
}
