import GatehouseBase

extension StoredAccount {
  /// What an administrator has ID tokens say of the user. Text that this version never writes counts as none.
  var customClaims: JSONObject { claims.flatMap { try? JSONObject(parsing: $0.utf8) } ?? JSONObject() }
}
