import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

extension Provider {
  func serviceAccounts() throws(AuthError) -> [ServiceAccountRecord] {
    try database.read { db in try StoredServiceAccount.all(in: db).map(ServiceAccountRecord.init) }
  }

  /// Makes a service account and its key, of which the provider keeps the public half.
  ///
  /// - Parameter save: keeps the account's file. When it throws there is no account. A process that is killed after it
  ///   leaves a file that is good for nothing.
  func createServiceAccount(
    _ draft: ServiceAccountDraft, savingFile save: (Secret) throws(AuthError) -> Void
  ) throws(AuthError) -> ServiceAccountRecord {
    try draft.check()
    let now = try now()
    let key = try PrivateKey.generate(.rsa(bits: 2048))
    let account = StoredServiceAccount(
      email: email(ofServiceAccount: draft.name), id: try Self.number(), keyID: try key.thumbprint(),
      publicKey: try key.publicKey.pem(), tokenURL: draft.tokenURL, createdAt: now.milliseconds)
    let file = Secret(JSONValue.object(try account.file(with: key, of: options.projectID)).description + "\n")
    try database.write { db in
      guard try StoredServiceAccount.find(account.email, in: db) == nil else {
        throw AuthError(
          .invalidArgument, "there is a service account \(account.email.printable()) already; choose another name")
      }
      try account.insert(db)
      try save(file)
      try audit.record(AuditEvent(.serviceAccountCreated, serviceAccount: account.email, at: now), at: now)
    }
    return ServiceAccountRecord(account)
  }

  /// Ends a service account: its key and its access tokens are good for nothing from now on.
  ///
  /// - Parameter name: its name or its address.
  func deleteServiceAccount(_ name: String) throws(AuthError) -> ServiceAccountRecord {
    let now = try now()
    return try database.write { db in
      let account =
        try StoredServiceAccount.find(name, in: db)
        ?? StoredServiceAccount.find(email(ofServiceAccount: name), in: db)
      guard let account else {
        throw AuthError(
          .invalidArgument,
          "no service account is called \(name.printable()); gate service-accounts list shows them")
      }
      try db.change("DELETE FROM serviceAccount WHERE email = ?", [account.email])
      try audit.record(AuditEvent(.serviceAccountDeleted, serviceAccount: account.email, at: now), at: now)
      return ServiceAccountRecord(account)
    }
  }

  /// Gives an access token for the assertion of a service account (RFC 7523 §2.1).
  ///
  /// - Parameter audiences: where the assertion may be for, besides where the account's file says. Google's libraries
  ///   send no `sub`.
  func accessToken(for assertion: Secret, audiences: [String]) throws(AuthError) -> Secret {
    let now = try now()
    let account = try signer(of: assertion)
    let policy = account.policy(audiences: audiences + [account.tokenURL])
    _ = try account.verifyOwn(assertion, policy, at: now)
    let claims = AccessToken.claims(
      of: account.email, account.id, tokenID: try Identifier.make(), options, at: now)
    return Secret(try keys.sign(claims, type: AccessToken.type, at: now))
  }

  /// Refuses a bearer token that is not an administrator's: neither an access token of a service account, nor a token
  /// that one has signed for these audiences.
  func requireAdministrator(_ token: Secret, audiences: [String]) throws(AuthError) {
    let now = try now()
    guard try UnverifiedToken(token.revealed).header.type?.isExactly(AccessToken.type) != true else {
      let verified = try keys.verify(token.revealed, by: { $0.accessVerifier }, at: now)
      let account = try database.read { db in try StoredServiceAccount.find(verified.subject ?? "", in: db) }
      guard let account, verified["client_id"]?.string?.isExactly(account.id) == true else {
        throw AuthError(.unknownKey, "the service account of this access token is gone")
      }
      return
    }
    let account = try signer(of: token)
    var policy = account.policy(audiences: audiences)
    policy.requiredClaims.append("sub")
    _ = try account.verifyOwn(token, policy, at: now)
  }

  /// The service account that a token says has signed it; `nil` for none. Nothing is verified yet.
  func serviceAccount(thatSigned token: Secret) throws(AuthError) -> StoredServiceAccount? {
    guard let issuer = (try? UnverifiedToken(token.revealed))?.issuer else { return nil }
    return try database.read { db in try StoredServiceAccount.find(issuer, in: db) }
  }

  private func signer(of token: Secret) throws(AuthError) -> StoredServiceAccount {
    guard let account = try serviceAccount(thatSigned: token) else {
      throw AuthError(.unknownKey, "`iss` is not a service account of this project")
    }
    return account
  }

  private func email(ofServiceAccount name: String) -> String {
    "\(name)@\(options.projectID).iam.gserviceaccount.com"
  }

  /// 21 digits, as Google's accounts have.
  private static func number() throws(AuthError) -> String {
    String(try RandomBytes.make(21).map { Character(Unicode.Scalar(UInt8(ascii: "0") + $0 % 10)) })
  }
}

extension StoredServiceAccount {
  /// What a token must be that the account makes for an authority.
  fileprivate func policy(audiences: [String]) -> VerificationPolicy {
    var policy = VerificationPolicy(algorithms: [.RS256], issuers: [.exactly(email)], audiences: audiences)
    policy.requiredClaims = ["exp", "iat"]
    policy.maximumLifetime = .seconds(AccessToken.lifetime)
    return policy
  }

  /// Verifies a token that the account has signed about itself.
  fileprivate func verifyOwn(
    _ token: Secret, _ policy: VerificationPolicy, at now: Moment
  ) throws(AuthError) -> VerifiedToken {
    let verified = try verify(token, policy, at: now)
    guard verified["sub"] == nil || verified.subject?.isExactly(email) == true else {
      throw AuthError(.claimInvalid, "`sub` must be the service account itself")
    }
    return verified
  }

  /// The file of the account's owner, in the form of Google's.
  fileprivate func file(with key: PrivateKey, of project: String) throws(AuthError) -> JSONObject {
    [
      "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
      "private_key": .string(try key.pem().revealed), "client_email": .string(email), "client_id": .string(id),
      "token_uri": .string(tokenURL), "universe_domain": "googleapis.com",
    ]
  }
}
