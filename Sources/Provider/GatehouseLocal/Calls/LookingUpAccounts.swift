import GRDB
import GatehouseBase
import IdentityToolkit

extension LookupAccounts: LocalCall {
  var authority: Authority { .administrator }
  /// A look-up of several accounts waits for the disk, for its event.
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(count > 1 ? .changing : .reading, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  /// The maximum number of accounts in a call.
  private static let most = 1000

  /// The number of accounts that are asked for.
  private var count: Int {
    (localId ?? []).count + (email ?? []).count + (phoneNumber ?? []).count + (federatedUserId ?? []).count
  }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let identities = federatedUserId ?? []
    guard count <= Self.most else { throw .tooMany("accounts", Self.most) }
    let users = try provider.database.read { db in
      var found: [StoredAccount] = []
      for uid in localId ?? [] {
        try found.append(contentsOf: [StoredAccount.find(uid: uid, in: db)].compactMap(\.self))
      }
      for text in email ?? [] {
        guard let email = try? EmailAddress(text) else { continue }
        try found.append(contentsOf: [StoredAccount.find(email, of: tenant, in: db)].compactMap(\.self))
      }
      for text in phoneNumber ?? [] {
        guard let number = try? PhoneNumber(text) else { continue }
        let account = try StoredAccount.find(phoneNumber: number.text, of: tenant, in: db)
        found.append(contentsOf: [account].compactMap(\.self))
      }
      for user in identities {
        let identity = try StoredIdentity.find(user.providerId, user.rawId, of: tenant, in: db)
        let account = try identity.flatMap { try StoredAccount.find(uid: $0.uid, in: db) }
        found.append(contentsOf: [account].compactMap(\.self))
      }
      var seen: Set<ExactText> = []
      return try found.filter { $0.tenant.isExactly(tenant) && seen.insert(ExactText($0.uid)).inserted }
        .map { try Account($0, provider.sessions.refreshes, in: db) }
    }
    if count > 1 {
      let now = try provider.now()
      try provider.audit.record(.given(.accountsRead, users.count, of: tenant, at: now), at: now)
    }
    return Response(users: users)
  }
}
