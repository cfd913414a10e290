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
        var faults: [Fault] = []
        var events: [AuditEvent] = []
        for index in start..<min(start + 200, localIds.count) {
          let uid = localIds[index]
          guard let account = try StoredAccount.find(uid: uid, in: db), account.tenant.isExactly(tenant) else {
            continue
          }
          guard account.disabled || force == true else {
            let message = "NOT_DISABLED : disable the account first, or delete with force"
            faults.append(Fault(index: index, localId: uid, message: message))
            continue
          }
          try account.remove(in: db)
          events.append(AuditEvent(.accountDeleted, of: account, at: now))
        }
        try provider.audit.record(events, at: now)
        return faults
      }
    }
    return Response(errors: faults)
  }
}
