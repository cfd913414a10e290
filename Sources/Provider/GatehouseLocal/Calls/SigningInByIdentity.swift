import GRDB
import GatehouseBase
import IdentityToolkit

extension SignInWithIdp: LocalCall {
  var authority: Authority { idToken == nil ? .stranger : .user }
  func steps(_ options: LocalOptions) -> CallSteps<Response> { .identified(verifiable, answer) }

  func events(_ outcome: Result<Response, AuthError>, at now: Moment) -> [AuditEvent] {
    switch outcome {
    case .success(let answer):
      answer.idToken == nil
        ? [] : [AuditEvent(.signIn, answer.idToken, answer.providerId, email: answer.email, at: now)]
    case .failure(let error): AuditEvent.refusal(error, "identity", at: now)
    }
  }

  /// Returns the credential to verify. The provider keeps none that a `pendingToken` could stand for.
  private func verifiable(unverified isUnverified: Bool) throws(AuthError) -> IdentityCredential? {
    guard pendingToken == nil else { throw AuthError(server: .invalidPendingToken) }
    return credential(unverified: isUnverified)
  }

  private func credential(unverified isUnverified: Bool) -> IdentityCredential? {
    credential ?? (isUnverified ? credentialInRequestURI : nil)
  }

  private func answer(by provider: Provider, _ identity: VerifiedIdentity) throws(AuthError) -> Answer<Response> {
    Answer(try signIn(by: provider, identity))
  }

  private enum Outcome: Sendable {
    case session(Session, isNewUser: Bool)
    /// The account has a second factor.
    case waits(AuthError)
    /// Another account prevents the link; the answer contains the protocol's error code.
    case refused(word: String)
    /// An account has the address, and the identity provider is not trusted with the address.
    case exists(methods: [String])
    /// There is no account, and none is to be made. The count of the answer must not be rolled back.
    case absent
  }

  /// Signs in the user of an identity provider, or links the identity to an account.
  private func signIn(by provider: Provider, _ identity: VerifiedIdentity) throws(AuthError) -> Response {
    let now = try provider.now()
    var bearer: Bearer?
    if let idToken { bearer = try provider.sessions.bearer(of: idToken, in: tenantId, at: now) }
    let (token, uid, caller) = (try RefreshToken(), try Identifier.make(), Caller.current)
    let outcome = try provider.database.write { [bearer] db in
      if let bearer { return try link(by: provider, identity, to: bearer, token, caller, at: now, in: db) }
      let known = try StoredIdentity.find(identity.provider, identity.subject, of: self.tenant, in: db)
      if let known, let account = try StoredAccount.find(uid: known.uid, in: db) {
        try account.requireEnabled()
        try identity.stored(of: account).save(db)
        return try begun(by: provider, token, of: account, identity, isNewUser: false, at: now, in: db)
      }
      let holder = try identity.email.flatMap { try StoredAccount.find($0, of: self.tenant, in: db) }
      // Every answer to a user who has not proved the address tells whether it has an account.
      if identity.hasUnprovedEmail || holder == nil && autoCreate {
        try provider.signIns.countSignUp(caller, at: now, in: db)
      }
      if let holder { return try join(by: provider, identity, to: holder, token, at: now, in: db) }
      guard autoCreate else { return .absent }
      var account = StoredAccount(uid: uid, of: self.tenant, at: now)
      account.takeProfile(of: identity)
      account.emailVerified = identity.hasProvedEmail
      try account.insert(db)
      try identity.stored(of: account).insert(db)
      return try begun(by: provider, token, of: account, identity, isNewUser: true, at: now, in: db)
    }
    return try response(by: provider, identity, outcome, at: now)
  }

  /// Signs in to the account that has the identity's address, if the identity provider is trusted with that.
  private func join(
    by provider: Provider, _ identity: VerifiedIdentity, to account: StoredAccount, _ token: RefreshToken,
    at now: Moment, in db: Database
  ) throws -> Outcome {
    guard identity.hasProvedEmail else {
      // With enumeration protection, only reveal that the address is taken.
      return .exists(methods: provider.hidesAccounts(of: account.tenant) ? [] : try account.signInMethods(in: db))
    }
    try account.requireEnabled()
    var account = account
    if !account.emailVerified {
      try account.beginAnew(at: now, in: db)
    } else if try StoredIdentity.all(of: account.uid, in: db).contains(where: {
      $0.provider.isExactly(identity.provider)
    }) {
      // The account has another user of the same identity provider.
      return .exists(methods: provider.hidesAccounts(of: account.tenant) ? [] : try account.signInMethods(in: db))
    } else {
      try provider.accounts.admit(account, at: now, in: db)
    }
    account.emailVerified = true
    try account.update(db)
    try identity.stored(of: account).insert(db)
    return try begun(by: provider, token, of: account, identity, isNewUser: false, at: now, in: db)
  }

  private func link(
    by provider: Provider, _ identity: VerifiedIdentity, to bearer: Bearer, _ token: RefreshToken, _ caller: Caller,
    at now: Moment, in db: Database
  ) throws -> Outcome {
    var account = try bearer.account(in: db)
    let known = try StoredIdentity.find(identity.provider, identity.subject, of: account.tenant, in: db)
    try bearer.requireRecentSignIn(to: account, provider.options, in: db)
    if let known, !known.uid.isExactly(account.uid) { return .refused(word: "FEDERATED_USER_ID_ALREADY_LINKED") }
    let others = try StoredIdentity.all(of: account.uid, in: db)
    if known == nil, others.contains(where: { $0.provider.isExactly(identity.provider) }) {
      throw AuthError(
        .providerAlreadyLinked, "the account signs in by another user of \(identity.provider.printable())")
    }
    if account.email == nil, identity.hasUnprovedEmail {
      try provider.signIns.countSignUp(caller, at: now, in: db)
    }
    if let email = identity.email, account.email == nil,
      try StoredAccount.find(email, of: account.tenant, in: db) != nil
    {
      return .refused(word: "EMAIL_EXISTS")
    }
    let hadWays = try account.hasWays(in: db)
    if !hadWays { try account.revokeSessions(at: now, in: db) }
    account.takeProfile(of: identity)
    if !account.emailVerified, identity.hasProvedEmail, identity.email?.belongs(to: account) == true {
      try account.verifyAddress(in: db)
    }
    // An account that has lost its address may have factors, which an unverified address must not have (decision 96).
    if account.email != nil, !account.emailVerified, try !StoredSecondFactor.all(of: account.uid, in: db).isEmpty {
      account.email = nil
    }
    account.lastLoginAt = now.milliseconds
    try account.update(db)
    try identity.stored(of: account).save(db)
    let session = try Session(
      beginning: token, of: account, by: hadWays ? bearer.provider : identity.provider, factor: bearer.factor,
      since: hadWays ? try bearer.signedIn(in: db) : nil, at: now, in: db)
    return .session(session, isNewUser: false)
  }

  private func begun(
    by provider: Provider, _ token: RefreshToken, of account: StoredAccount, _ identity: VerifiedIdentity,
    isNewUser: Bool, at now: Moment,
    in db: Database
  ) throws -> Outcome {
    switch try provider.factors.begin(token, of: account, by: identity.provider, at: now, in: db) {
    case .success(let session): .session(session, isNewUser: isNewUser)
    case .failure(let error): .waits(error)
    }
  }

  private func response(
    by provider: Provider, _ identity: VerifiedIdentity, _ outcome: Outcome, at now: Moment
  ) throws(AuthError) -> Response {
    var response = Response(providerId: identity.provider)
    response.federatedId = identity.federatedID ?? identity.subject
    response.email = identity.email?.text
    response.displayName = identity.displayName
    response.photoUrl = identity.photoURL
    response.screenName = identity.username
    response.rawUserInfo = Secret(identity.profile.description)
    let given = credential(unverified: provider.options.acceptsUnverifiedIdentities)
    response.oauthIdToken = given?.idToken
    response.oauthAccessToken = given?.accessToken
    if provider.options.acceptsUnverifiedIdentities, given?.accessToken == nil {
      // Clients make a credential of the access token only, for most identity providers.
      response.oauthAccessToken = given?.idToken
    }
    response.oauthTokenSecret = given?.secret
    switch outcome {
    case .waits(let error): throw error
    case .absent: throw AuthError(server: .userNotFound)
    case .refused(let word): response.errorMessage = word
    case .exists(let methods):
      response.needConfirmation = true
      response.verifiedProvider = methods
    case .session(let session, let isNewUser):
      response.localId = session.account.uid
      response.email = session.account.email ?? response.email
      response.emailVerified = session.account.emailVerified
      response.isNewUser = isNewUser
      response.idToken = try provider.sessions.idToken(of: session, at: now)
      response.refreshToken = session.refreshToken.secret
      response.expiresIn = DecimalString(secondsOf: provider.options.tokenLifetime)
    }
    return response
  }
}

extension VerifiedIdentity {
  /// Whether there is an address that may be another person's.
  fileprivate var hasUnprovedEmail: Bool { email != nil && !hasProvedEmail }

  fileprivate func stored(of account: StoredAccount) -> StoredIdentity {
    StoredIdentity(
      tenant: account.tenant, provider: provider, subject: subject, uid: account.uid, email: email?.text,
      displayName: displayName, photoURL: photoURL)
  }
}

extension StoredAccount {
  /// Fills in missing profile values. The caller has checked that the address is free, or the account's own, and
  /// decides whether it is verified.
  fileprivate mutating func takeProfile(of identity: VerifiedIdentity) {
    if email == nil, let address = identity.email { (email, emailVerified) = (address.text, false) }
    displayName = displayName ?? identity.displayName
    photoURL = photoURL ?? identity.photoURL
  }
}
