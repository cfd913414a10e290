import GatehouseBase

extension JSONObject {
  /// Rejects a name in both halves of a header (RFC 7515 §4), and unprotected members that change what is signed.
  func refuseSharedNames(with unprotected: JSONObject) throws(AuthError) {
    for name in unprotected.names {
      guard self[name] == nil else {
        throw AuthError(.headerInvalid, "a member is in both the protected and the unprotected header")
      }
      guard !["alg", "crit", "b64", "zip"].contains(where: { $0.isExactly(name) }) else {
        throw AuthError(.headerInvalid, "`\(name)` must be in the protected header")
      }
    }
  }
}
