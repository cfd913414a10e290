import GRDB
import GatehouseBase
import IdentityToolkit

extension DeleteAccounts: LocalCall {
  var authority: Authority { .administrator }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }
  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] { [] }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    guard localIds.count <= Self.most else { throw .tooMany("accounts", Self.most) }
    let now = try provider.now()
    var faults: [Fault] = []
    // Some at a time, so that others need not wait for all of them.
    for start in stride(from: 0, to: localIds.count, by: 200) {
      faults += try provider.database.write { db in
        try (start..<min(start + 200, localIds.count)).compactMap { index in
          let uid = localIds[index]
          guard let account = try StoredAccount.find(uid: uid, in: db), account.tenant.isExactly(tenant) else {
            return nil
          }
          guard account.disabled || force == true else {
            return Fault(
              index: index, localId: uid, message: "NOT_DISABLED : disable the account first, or delete with force")
          }
          try account.remove(in: db)
          try provider.audit.record(AuditEvent(.accountDeleted, of: account, at: now), at: now)
          return nil
        }
      }
    }
    return Response(errors: faults)
  }
}
