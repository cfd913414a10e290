import GRDB
import GatehouseBase
import IdentityToolkit

// The import of accounts. An error that concerns all accounts refuses the call; an error of one account only affects
// that account.

extension ImportAccounts: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> {
    users.contains { $0.passwordHash == nil && $0.rawPassword != nil }
      ? .hashingForAdministrator(answer) : .plain(.changing, answer)
  }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// The number of accounts in one transaction, limited so that others need not wait for all of them.
  private static let atOnce = 100
  private typealias Drafted = (Int, Result<ImportDraft, AuthError>)

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    guard !users.isEmpty else { throw AuthError(server: .missingUserAccount) }
    // Firebase's emulator is sent a whole export at once.
    guard users.count <= Self.most || provider.options.isEmulator else {
      throw AuthError(.invalidArgument, "a call imports at most \(Self.most) accounts", server: .invalidArgument)
    }
    let needsParameters = users.lazy.compactMap(\.passwordHash).contains { hash in
      !provider.accounts.isEmulators || !ReadablePassword.isReadable(hash.revealed)
    }
    let hashes = try needsParameters ? HashImport(self) : nil
    try requireDistinct()
    let now = try provider.now()
    var faults: [Fault] = []
    for start in stride(from: 0, to: users.count, by: Self.atOnce) {
      // Reading and checking happens outside the transaction.
      let drafts = users[start..<min(start + Self.atOnce, users.count)].indices.map { index -> Drafted in
        let draft = Result { () throws(AuthError) in
          try ImportDraft(users[index], hashes, in: tenant, at: now, by: provider)
        }
        return (index, draft)
      }
      faults += try provider.database.write { db in
        var faults: [Fault] = []
        var events: [AuditEvent] = []
        for (index, draft) in drafts {
          do {
            let draft = try draft.get()
            var replaced: (account: StoredAccount, rows: AccountRows)?
            try db.inSavepoint {
              replaced = try draft.store(overwriting: allowOverwrite ?? false, at: now, in: db)
              return .commit
            }
            let changed = try draft.changedNames(from: replaced, in: db)
            events.append(
              AuditEvent(
                replaced == nil ? .accountCreated : .accountUpdated, of: draft.account, changed: changed, at: now))
          } catch let error as AuthError where error.code != .providerUnavailable {
            faults.append(Fault(index: index, message: error.importAnswer))
          }
        }
        try provider.audit.record(events, at: now)
        return faults
      }
    }
    return Response(error: faults)
  }

  /// Refuses all accounts if some have the same identifier, address or identity, like Google's emulator.
  private func requireDistinct() throws(AuthError) {
    if allowOverwrite != true, let twice = users.compactMap(\.localId).firstTwice {
      throw AuthError(server: .duplicateLocalID, "\(twice.printable())")
    }
    guard sanityCheck == true else { return }
    let addresses = users.compactMap { user in user.email.flatMap { try? EmailAddress($0).text } }
    if let twice = addresses.firstTwice { throw AuthError(server: .duplicateEmail, "\(twice)") }
    let identities = users.flatMap { $0.providerUserInfo ?? [] }
      .compactMap { info in info.rawId.map { "\(info.providerId): \($0)" } }
    if let twice = identities.firstTwice { throw AuthError(server: .duplicateRawID, "\(twice.printable())") }
  }
}

extension Sequence<String> {
  /// The first text that occurred before, compared as bytes.
  fileprivate var firstTwice: String? {
    var seen: Set<[UInt8]> = []
    return first { !seen.insert(Array($0.utf8)).inserted }
  }
}
