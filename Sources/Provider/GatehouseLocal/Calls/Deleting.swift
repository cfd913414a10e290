import GRDB
import GatehouseBase
import IdentityToolkit

extension Delete: LocalCall {
  /// The hashes of its refresh tokens stay, so that they are refused because the user is gone.
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.bearer(of: idToken, at: try provider.now())
    try provider.database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, provider.options, in: db)
      try account.forgetCodes(in: db)
      try StoredActionCode.forgetAll(of: account.uid, in: db)
      try StoredSecondFactor.forgetAll(of: account.uid, in: db)
      try StoredIdentity.forgetAll(of: account.uid, in: db)
      try StoredPhoneCode.forgetAll(of: account.uid, in: db)
      _ = try account.delete(db)
    }
    return Response()
  }
}
