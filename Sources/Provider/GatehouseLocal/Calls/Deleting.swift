import GRDB
import GatehouseBase
import IdentityToolkit

extension Delete: LocalCall {
  /// Its refresh tokens stay behind as hashes, to be told that the user is gone.
  func answer(by provider: Provider) throws(AuthError) -> Response {
    let bearer = try provider.bearer(of: idToken, at: try provider.now())
    try provider.database.write { db in _ = try bearer.account(in: db).delete(db) }
    return Response()
  }
}
