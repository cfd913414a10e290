import GRDB
import GatehouseBase
import IdentityToolkit

extension MakeRecoveryCodes: LocalCall {
  var authority: Authority { .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .plain(.changing, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    guard case .success = outcome else { return [] }
    return [AuditEvent(.recoveryCodesMade, idToken, at: now)]
  }

  private func answer(by provider: Provider) throws(AuthError) -> Response {
    let now = try provider.now()
    let bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now)
    var codes: [RecoveryCode] = []
    for _ in 0..<RecoveryCode.count { codes.append(try RecoveryCode()) }
    let hashes = try codes.map { code throws(AuthError) in try RecoveryCode.hash(Secret(code.text)) }
    try provider.database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, provider.options, in: db)
      guard try !StoredSecondFactor.all(of: account.uid, in: db).isEmpty else {
        throw AuthError(server: .mfaEnrollmentNotFound)
      }
      try bearer.requireFactor(of: account, in: db)
      try db.change("DELETE FROM recoveryCode WHERE uid = ?", [account.uid])
      for hash in hashes {
        try db.change("INSERT INTO recoveryCode (hash, uid) VALUES (?, ?)", [hash, account.uid])
      }
    }
    return Response(recoveryCodes: codes.map { Secret($0.text) })
  }
}
