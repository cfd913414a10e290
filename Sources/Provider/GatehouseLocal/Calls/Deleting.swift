import GRDB
import GatehouseBase
import IdentityToolkit

extension Delete: LocalCall {
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.bearer(of: idToken, at: try provider.now())
    try provider.database.write { db in
      let account = try bearer.account(in: db)
      try bearer.requireRecentSignIn(to: account, provider.options, in: db)
      try account.remove(in: db)
    }
    return Response()
  }
}
