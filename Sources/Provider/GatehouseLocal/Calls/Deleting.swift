import GRDB
import GatehouseBase
import IdentityToolkit

extension Delete: LocalCall {
  /// The hashes of its refresh tokens stay, so that they are refused because the user is gone.
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.bearer(of: idToken, at: try provider.now())
    try provider.database.write { db in _ = try bearer.account(in: db).delete(db) }
    return Response()
  }
}
