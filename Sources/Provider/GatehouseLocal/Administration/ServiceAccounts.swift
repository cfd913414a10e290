import GRDB
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// The service accounts, whose bearers are administrators.
struct ServiceAccounts: ProviderPart {
  let store: ProviderStore
  let keys: SigningKeys

  func all() throws(AuthError) -> [ServiceAccountRecord] {
    try database.read { db in
      try StoredServiceAccount.all(in: db).map { account in
        ServiceAccountRecord(account, try StoredServiceAccountKey.all(of: account, in: db))
      }
    }
  }

  /// Creates a service account and its key, of which the provider keeps only the public key.
  ///
  /// - Parameter save: saves the account's file. If it throws, the account is not created. If the process is killed
  ///   right after it, the file remains but is useless.
  func create(
    _ draft: ServiceAccountDraft, savingFile save: (Secret) throws(AuthError) -> Void
  ) throws(AuthError) -> ServiceAccountRecord {
    try draft.check()
    let now = try now()
    let account = StoredServiceAccount(
      email: email(ofServiceAccount: draft.name), id: try Self.number(), tokenURL: draft.tokenURL,
      createdAt: now.milliseconds)
    let (key, file) = try account.newKey(of: options.projectID, at: now)
    try database.write { db in
      guard try StoredServiceAccount.find(account.email, in: db) == nil else {
        throw AuthError(
          .invalidArgument, "there is a service account \(account.email.printable()) already; choose another name")
      }
      try account.insert(db)
      try key.insert(db)
      try save(file)
      try audit.record(
        AuditEvent(.serviceAccountCreated, serviceAccount: account.email, key: key.keyID, at: now), at: now)
    }
    return ServiceAccountRecord(account, [key])
  }

  /// Deletes a service account. Its keys and its access tokens are invalid from now on.
  ///
  /// - Parameter name: its name or its address.
  func delete(_ name: String) throws(AuthError) -> ServiceAccountRecord {
    let now = try now()
    return try database.write { db in
      let account = try requireServiceAccount(name, in: db)
      let keys = try StoredServiceAccountKey.all(of: account, in: db)
      try db.change("DELETE FROM serviceAccount WHERE email = ?", [account.email])
      try audit.record(AuditEvent(.serviceAccountDeleted, serviceAccount: account.email, at: now), at: now)
      return ServiceAccountRecord(account, keys)
    }
  }

  /// Adds a key to a service account, so that its file can be replaced while the previous file remains valid.
  ///
  /// - Parameters:
  ///   - name: the account's name or address.
  ///   - save: saves the file with the new key. If it throws, the key is not added.
  /// - Returns: The account, and the new key's identifier.
  func addKey(
    _ name: String, savingFile save: (Secret) throws(AuthError) -> Void
  ) throws(AuthError) -> (account: ServiceAccountRecord, keyID: String) {
    let now = try now()
    let account = try database.read { db in try requireServiceAccount(name, in: db) }
    let (key, file) = try account.newKey(of: options.projectID, at: now)
    let record = try database.write { db in
      // The account may have been deleted meanwhile, and a new account may have the same name.
      guard try requireServiceAccount(account.email, in: db).id.isExactly(account.id) else {
        throw noServiceAccount(name)
      }
      guard try StoredServiceAccountKey.all(of: account, in: db).count < StoredServiceAccountKey.most else {
        throw AuthError(
          .quotaExceeded, "the service account has \(StoredServiceAccountKey.most) keys already; delete one first")
      }
      try key.insert(db)
      try save(file)
      try audit.record(
        AuditEvent(.serviceAccountKeyAdded, serviceAccount: account.email, key: key.keyID, at: now), at: now)
      return ServiceAccountRecord(account, try StoredServiceAccountKey.all(of: account, in: db))
    }
    return (record, key.keyID)
  }

  /// Deletes one key of a service account. The access tokens that were issued for it become invalid. The last key of an
  /// account cannot be deleted.
  ///
  /// - Parameters:
  ///   - keyID: the key's identifier.
  ///   - name: the account's name or address.
  func deleteKey(_ keyID: String, of name: String) throws(AuthError) -> ServiceAccountRecord {
    let now = try now()
    return try database.write { db in
      let account = try requireServiceAccount(name, in: db)
      guard let key = try StoredServiceAccountKey.find(keyID, of: account, in: db) else {
        throw AuthError(
          .invalidArgument,
          "the service account has no key \(keyID.printable()); gate service-accounts list shows its keys")
      }
      guard try StoredServiceAccountKey.all(of: account, in: db).count > 1 else {
        throw AuthError(
          .operationNotAllowed, "this is the account's last key; add another one first, or delete the account")
      }
      _ = try key.delete(db)
      try audit.record(
        AuditEvent(.serviceAccountKeyDeleted, serviceAccount: account.email, key: key.keyID, at: now), at: now)
      return ServiceAccountRecord(account, try StoredServiceAccountKey.all(of: account, in: db))
    }
  }

  private func requireServiceAccount(_ name: String, in db: Database) throws -> StoredServiceAccount {
    let account =
      try StoredServiceAccount.find(name, in: db) ?? StoredServiceAccount.find(email(ofServiceAccount: name), in: db)
    guard let account else { throw noServiceAccount(name) }
    return account
  }

  private func noServiceAccount(_ name: String) -> AuthError {
    AuthError(
      .invalidArgument, "no service account is called \(name.printable()); gate service-accounts list shows them")
  }

  /// Issues an access token for the assertion of a service account (RFC 7523 §2.1).
  ///
  /// - Parameter audiences: the accepted audiences of the assertion, besides the token URL in the account's file.
  ///   Google's libraries send no `sub`.
  func accessToken(for assertion: Secret, audiences: [String]) throws(AuthError) -> Secret {
    let now = try now()
    let signer: ServiceAccountSigner
    do throws(AuthError) {
      signer = try self.signer(of: assertion)
      let policy = signer.policy(audiences: audiences + [signer.account.tokenURL])
      _ = try signer.verifyOwn(assertion, policy, at: now)
    } catch {
      countRefusal(error, of: assertion)
      throw error
    }
    return try tracing(.work("accessToken"), by: signer.credential) { () throws(AuthError) in
      let claims = AccessToken.claims(of: signer, tokenID: try Identifier.make(), options, at: now)
      return Secret(try keys.sign(claims, type: AccessToken.type, at: now))
    }
  }

  /// Refuses a bearer token that is not an administrator's. Accepts an access token of a service account, or a token
  /// that a service account has signed for these audiences.
  ///
  /// - Parameter counts: whether a refusal is counted in the audit log.
  /// - Returns: The service account and its key.
  func requireAdministrator(
    _ token: Secret, audiences: [String], counting counts: Bool
  ) throws(AuthError) -> AdministratorCredential {
    do throws(AuthError) { return try administrator(token, audiences: audiences) } catch {
      if counts { countRefusal(error, of: token) }
      throw error
    }
  }

  /// Counts a refused credential, under the name of the service account that it claims, if there is one.
  private func countRefusal(_ error: AuthError, of token: Secret) {
    guard ![.providerUnavailable, .providerDamaged, .closed, .internalError].contains(error.code) else { return }
    let claimed = try? UnverifiedToken(token.revealed)
    // Of an access token, the subject is the service account.
    let names = [claimed?.issuer, claimed?.subject].compactMap(\.self)
    let account = try? database.read { db in
      try names.lazy.compactMap { try StoredServiceAccount.find($0, in: db) }.first
    }
    let credential = account.map { AdministratorCredential.serviceAccount($0.email, keyID: nil) }
    count(.init(kind: .credentialRefused, credential: credential, call: nil, reason: "\(error.code)"))
  }

  private func administrator(
    _ token: Secret, audiences: [String]
  ) throws(AuthError) -> AdministratorCredential {
    let now = try now()
    let header = try typed { try UnverifiedToken(token.revealed).header }
    guard header.type?.isExactly(AccessToken.type) != true else {
      let verified = try keys.verify(token.revealed, by: { $0.accessVerifier }, at: now)
      let kept = try database.read { db -> AdministratorCredential? in
        guard let account = try StoredServiceAccount.find(verified.subject ?? "", in: db),
          verified["client_id"]?.string?.isExactly(account.id) == true,
          let keyID = verified[AccessToken.keyClaim]?.string,
          let key = try StoredServiceAccountKey.find(keyID, of: account, in: db)
        else { return nil }
        return .serviceAccount(account.email, keyID: key.keyID)
      }
      guard let kept else {
        throw AuthError(.unknownKey, "the service account of this access token, or its key, is gone")
      }
      return kept
    }
    let signer = try signer(of: token)
    var policy = signer.policy(audiences: audiences)
    policy.requiredClaims.append("sub")
    _ = try signer.verifyOwn(token, policy, at: now)
    return signer.credential
  }

  /// Returns the service account that a token claims as its signer, with the key; `nil` for none. Nothing is verified
  /// yet.
  ///
  /// - Throws: `.unknownKey` if the account does not have the key.
  func signer(named token: Secret) throws(AuthError) -> ServiceAccountSigner? {
    guard let token = try? UnverifiedToken(token.revealed), let issuer = token.issuer else { return nil }
    return try database.read { db in
      try StoredServiceAccount.find(issuer, in: db).map {
        try ServiceAccountSigner($0, keyID: token.header.keyID, in: db)
      }
    }
  }

  private func signer(of token: Secret) throws(AuthError) -> ServiceAccountSigner {
    guard let signer = try signer(named: token) else {
      throw AuthError(.unknownKey, "`iss` is not a service account of this project")
    }
    return signer
  }

  private func email(ofServiceAccount name: String) -> String {
    "\(name)@\(options.projectID).iam.gserviceaccount.com"
  }

  /// Makes an identifier of 21 digits, like those of Google's accounts.
  private static func number() throws(AuthError) -> String {
    String(try RandomBytes.bytes(21).map { Character(Unicode.Scalar(UInt8(ascii: "0") + $0 % 10)) })
  }
}

extension ServiceAccountSigner {
  /// Returns the requirements for a token that the account signs.
  fileprivate func policy(audiences: [String]) -> VerificationPolicy {
    var policy = VerificationPolicy(algorithms: [.RS256], issuers: [.exactly(account.email)], audiences: audiences)
    policy.requiredClaims = ["exp", "iat"]
    policy.maximumLifetime = .seconds(AccessToken.lifetime)
    return policy
  }

  /// Verifies a token that the account has signed about itself.
  fileprivate func verifyOwn(
    _ token: Secret, _ policy: VerificationPolicy, at now: Moment
  ) throws(AuthError) -> VerifiedToken {
    let verified = try verify(token, policy, at: now)
    guard verified["sub"] == nil || verified.subject?.isExactly(account.email) == true else {
      throw AuthError(.claimInvalid, "`sub` must be the service account itself")
    }
    return verified
  }
}

extension StoredServiceAccount {
  /// Makes a key, and the file with it for the account's owner.
  fileprivate func newKey(
    of project: String, at now: Moment
  ) throws(AuthError) -> (key: StoredServiceAccountKey, file: Secret) {
    let key = try typed { try PrivateKey.generate(.rsa(bits: 2048)) }
    let stored = StoredServiceAccountKey(
      account: id, keyID: try key.thumbprint(), publicKey: try typed { try key.publicKey.pem() },
      createdAt: now.milliseconds)
    let file = JSONValue.object(try file(with: key, stored.keyID, of: project))
    return (stored, Secret(file.description + "\n"))
  }

  /// Makes the file for the account's owner, in Google's format.
  private func file(with key: PrivateKey, _ keyID: String, of project: String) throws(AuthError) -> JSONObject {
    [
      "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
      "private_key": .string(try typed { try key.pem().revealed }), "client_email": .string(email),
      "client_id": .string(id),
      "token_uri": .string(tokenURL), "universe_domain": "googleapis.com",
    ]
  }
}
