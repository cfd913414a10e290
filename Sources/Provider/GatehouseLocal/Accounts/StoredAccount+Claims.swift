import GatehouseBase

extension StoredAccount {
  /// The custom claims of the user's ID tokens. Text that this version never writes counts as none.
  var customClaims: JSONObject { claims.flatMap { try? JSONObject(reading: $0.utf8) } ?? JSONObject() }
}
