public import GatehouseBase

extension LocalBackend {
  /// Signs a token with which `Auth.signIn(withCustomToken:)` signs a user in, for a server that authenticates its
  /// users itself. The token is valid for an hour. The sign-in creates the account if there is none.
  ///
  /// - Parameters:
  ///   - uid: the user's identifier, 1 to 128 bytes.
  ///   - tenantID: the tenant of the user; `nil` for the project itself.
  ///   - claims: additional claims of the ID tokens of that session; 1,000 bytes as JSON at most.
  /// - Throws: `.invalidArgument`, with the server code `FORBIDDEN_CLAIM` or `CLAIMS_TOO_LARGE` for claims that are not
  ///   allowed; the reason why the folder cannot be used; `.closed` after `close()`.
  public func customToken(
    forUser uid: String, tenantID: String? = nil, claims: JSONObject = JSONObject()
  ) async throws -> String {
    let token = try CustomToken(uid: uid, tenantID: tenantID, claims: claims)
    return try await withProvider(.administrator("customToken")) { provider throws(AuthError) in
      try provider.customToken(token)
    }
  }

  /// Signs a token with which a user signs in.
  public func customToken(
    forUser uid: String, tenantID: String? = nil, claims: JSONObject = JSONObject(),
    @_inheritActorContext completion: @escaping Completion<String>
  ) {
    withProvider(.administrator("customToken"), completion: completion) { provider throws(AuthError) in
      try provider.customToken(try CustomToken(uid: uid, tenantID: tenantID, claims: claims))
    }
  }
}

extension Provider {
  /// Signs a custom token, which lets its bearer sign in as the user. Its event is on the disk first.
  fileprivate func customToken(_ token: CustomToken) throws(AuthError) -> String {
    let now = try now()
    var event = AuditEvent.given(.customTokenMade, of: token.tenantID ?? "", at: now)
    event["uid"] = token.uid
    try audit.record(event, at: now)
    return try sessions.sign(token)
  }
}
