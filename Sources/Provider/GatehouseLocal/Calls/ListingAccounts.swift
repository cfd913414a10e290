import GRDB
import GatehouseBase
import IdentityToolkit

extension ListAccounts: LocalCall {
  var authority: Authority { .administrator }
  /// It waits for the disk, for its event.
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let most = maxResults?.value ?? 20
    // An emulator is asked so for all accounts, like Firebase's.
    let isAll = most == -1 && provider.options.isEmulator
    guard (1...Int64(Self.most)).contains(most) || isAll else {
      throw AuthError(.invalidArgument, "a page has 1 to \(Self.most) accounts", server: .invalidArgument)
    }
    let users = try provider.database.read { db in
      try StoredAccount.every(
        // A negative limit is none.
        "SELECT * FROM account WHERE tenant = ? AND uid > ? ORDER BY uid LIMIT ?", [tenant, nextPageToken ?? "", most],
        in: db
      ).map { stored in
        var account = try Account(stored, provider.sessions.refreshes, in: db)
        (account.passwordHash, account.salt) = try stored.exportedPassword(
          inEmulatorsHome: provider.accounts.isEmulators)
        return account
      }
    }
    let now = try provider.now()
    var event = AuditEvent.given(.accountsRead, users.count, of: tenant, at: now)
    event.includesPasswordHashes()
    try provider.audit.record(event, at: now)
    // A full page may be the last one; then the next page is empty and ends the list.
    return Response(users: users, nextPageToken: Int64(users.count) == most ? users.last?.localId : nil)
  }
}
