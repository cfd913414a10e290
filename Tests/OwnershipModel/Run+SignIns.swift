import GatehouseBase
import GatehouseLocal
import IdentityToolkit

extension Run {
  func signUp(_ person: Person, _ picks: Picks) async throws {
    let (address, tenant, password) = (address(picks[0]), tenant(picks[2]), newPassword())
    let isAnonymous = picks[1] % 6 == 5
    var call = isAnonymous ? SignUp() : SignUp(email: address, password: password)
    call.tenantId = tenant
    note("\(person) signs up \(isAnonymous ? "anonymously" : address) \(tenant ?? "")")
    guard case .success(let answer) = await self.call(call) else { return }
    guard accounts[answer.localId] == nil else { throw Violation("a sign-up gives the account of another one") }
    var account = Owned(answer.localId, tenant ?? "")
    if !isAnonymous { (account.email, account.maker) = (address, person) }
    insert(account)
    if !isAnonymous { hold(password: password, of: person, for: account.uid) }
    try add(answer.idToken, answer.refreshToken, of: person)
  }

  func signIn(_ person: Person, _ picks: Picks) async throws {
    // First of all a password of an account with a second factor, because few have one.
    let guarded = holdings.lastIndex {
      $0.kind == .password && $0.holder == person && $0.uid.flatMap { accounts[$0]?.factors.isEmpty } == false
    }
    guard
      let index = picks[0] == 0
        ? guarded ?? holding(.password, of: person, 0) : holding(.password, of: person, picks[0]),
      let uid = holdings[index].uid, let email = accounts[uid]?.email
    else { return }
    var call = SignInWithPassword(email: email, password: holdings[index].secret)
    let isElsewhere = picks[1] % 8 == 7
    let tenant = isElsewhere ? other(holdings[index].tenant) : holdings[index].tenant
    call.tenantId = tenant.isEmpty ? nil : tenant
    note("\(person) signs in to \(email) by password\(isElsewhere ? " of another tenant" : "")")
    switch await self.call(call) {
    case .success(let answer):
      try requireOpened(index, answer.localId, tenant)
      try requireNoFactors(uid)
      try add(answer.idToken, answer.refreshToken, of: person)
    case .failure(let error) where error.pendingSignIn != nil:
      try requireOpened(index, uid, tenant)
      try add(error, for: uid, of: person, byPassword: accounts[uid]?.password)
    case .failure: break
    }
  }

  private func requireOpened(_ index: Int, _ uid: String, _ tenant: String) throws {
    try requireLive(index, "a password of \(holdings[index].holder)")
    guard uid == holdings[index].uid else { throw Violation("a password opens another account") }
    guard tenant == holdings[index].tenant else { throw Violation("a password opens an account of another tenant") }
  }

  func other(_ tenant: String) -> String { tenant.isEmpty ? World.tenant : "" }

  /// Signs in by an identity provider, or links its user to an account.
  func identify(_ person: Person, linkingTo session: Int?, _ picks: Picks) async throws {
    let provider = World.providers[picks[0] % World.providers.count]
    let isTrusted = provider == World.providers[0]
    let subject = person.subject(number)
    // A trusted provider has verified only the person's own addresses. The other one believes everything.
    let email = [person.addresses(number)[0], nil, address(picks[2]), person.addresses(number)[1]][picks[1] % 4]
    let isOwn = email.map { owner(of: $0) == person } ?? false
    let isProved = isTrusted && isOwn
    let credential = try world.credential(provider, subject, email, isVerified: isOwn || !isTrusted)
    var call = SignInWithIdp(credential, linkingTo: session.map { holdings[$0].idToken })
    let tenant = tenant(picks[3])
    if session == nil { call.tenantId = tenant }
    note(
      "\(person) \(session == nil ? "signs in" : "links") by \(provider) as \(email ?? "no address") \(tenant ?? "")")
    let result = await self.call(call)
    if let session {
      guard case .success(let answer) = result, answer.idToken != nil else { return }
      try use(session: session)
      guard let uid = holdings[session].uid, let old = accounts[uid] else { return }
      guard answer.localId == uid else { throw Violation("an identity was linked to another account") }
      if !old.hasWays { endSessions(uid, "the account has got its first way") }
      if isProved, old.email == email, !old.isVerified {
        endCodes(uid, "the address was verified")
        accounts[uid]?.verified = step
        accounts[uid]?.isVerified = true
      }
      // An unverified address would be one with second factors.
      if accounts[uid]?.email == nil, let email, isProved || old.factors.isEmpty {
        accounts[uid]?.setAddress(email, isVerified: isProved)
        if isProved {
          endCodes(uid, "the address was verified")
          accounts[uid]?.verified = step
        }
      }
      if old.identities[provider]?.value != subject {
        accounts[uid]?.identities[provider] = .init(value: subject, since: step)
      }
      return try add(
        answer.idToken, answer.refreshToken, of: person, signedIn: old.hasWays ? holdings[session].signedIn : now)
    }
    let error: AuthError?
    switch result {
    case .success(let answer):
      guard answer.idToken != nil else { return }
      error = nil
    case .failure(let found):
      guard found.pendingSignIn != nil else { return }
      error = found
    }
    let answer = try? result.get()
    let uid = try identified(provider, subject, email, tenant ?? "", isProved: isProved, answer?.localId)
    guard let error else {
      try requireNoFactors(uid)
      return try add(answer?.idToken, answer?.refreshToken, of: person)
    }
    try add(error, for: uid, of: person)
  }

  /// The account that an identity has opened, as it should be then.
  private func identified(
    _ provider: String, _ subject: String, _ email: String?, _ tenant: String, isProved: Bool, _ opened: String?
  ) throws -> String {
    let known = uids.first { accounts[$0]?.identities[provider]?.value == subject && accounts[$0]?.tenant == tenant }
    if let known {
      guard opened ?? known == known else { throw Violation("an identity opens another account") }
      return known
    }
    if let email, let uid = account(having: email, tenant) {
      guard isProved else { throw Violation("an unproved address opens an account") }
      guard opened ?? uid == uid else { throw Violation("an identity opens another account") }
      authority = .proof
      accounts[uid]?.isVerified == false ? beginAnew(uid) : admit(uid)
      accounts[uid]?.isVerified = true
      accounts[uid]?.identities[provider] = .init(value: subject, since: step)
      return uid
    }
    guard let opened, accounts[opened] == nil else { throw Violation("an identity opens an account that is not its") }
    var account = Owned(opened, tenant)
    (account.email, account.isVerified) = (email, isProved)
    account.identities[provider] = .init(value: subject, since: step)
    insert(account)
    return opened
  }

  /// Signs in by a code to the person's phone, or gives the number to an account.
  func phone(_ person: Person, linkingTo session: Int?, _ picks: Picks) async throws {
    let phoneNumber = person.number(number)
    let tenant = session.map { holdings[$0].tenant } ?? tenant(picks[0]) ?? ""
    var asking = SendVerificationCode(phoneNumber: phoneNumber)
    asking.tenantId = tenant.isEmpty ? nil : tenant
    guard let info = try? await world.backend.answer(asking).sessionInfo,
      let text = world.post.takeTexts().last
    else { throw Violation("no code was sent to a phone") }
    let operation: SignInWithPhoneNumber.Operation = session == nil ? .signUpOrIn : picks[1] % 2 == 0 ? .link : .update
    var call = SignInWithPhoneNumber(
      .code(text.code, sessionInfo: info), operation, of: session.map { holdings[$0].idToken })
    let isElsewhere = session == nil && picks[2] % 8 == 7
    let place = isElsewhere ? other(tenant) : tenant
    call.tenantId = session != nil || place.isEmpty ? nil : place
    note("\(person) \(session == nil ? "signs in" : operation.rawValue) by phone \(place)")
    let result = await self.call(call)
    if case .failure(let error) = result, error.pendingSignIn == nil { return }
    if case .success(let answer) = result, answer.idToken == nil { return }
    if isElsewhere { throw Violation("a code of a phone is good for another tenant") }
    let answer = try? result.get()
    let existing = uids.first { accounts[$0]?.phone?.value == phoneNumber && accounts[$0]?.tenant == tenant }
    if let session {
      try use(session: session)
      guard let uid = holdings[session].uid, let old = accounts[uid] else { return }
      guard answer?.localId == uid, existing ?? uid == uid else {
        throw Violation("a phone was given to another account")
      }
      if old.phone != nil || !old.hasWays { endSessions(uid, "the account has another phone") }
      if old.phone?.value != phoneNumber { accounts[uid]?.phone = .init(value: phoneNumber, since: step) }
      return try add(
        answer?.idToken, answer?.refreshToken, of: person, signedIn: old.hasWays ? holdings[session].signedIn : now)
    }
    if case .failure(let error) = result {
      guard let existing else { throw Violation("a sign-in waits without an account") }
      return try add(error, for: existing, of: person)
    }
    guard let uid = answer?.localId, existing ?? uid == uid else { throw Violation("a phone opens another account") }
    if existing == nil {
      guard accounts[uid] == nil else { throw Violation("a phone opens an account that is not its") }
      var account = Owned(uid, tenant)
      account.phone = .init(value: phoneNumber, since: step)
      insert(account)
    }
    try requireNoFactors(uid)
    try add(answer?.idToken, answer?.refreshToken, of: person)
  }

  /// Signs in by the word of a server, which knows the person.
  func customToken(_ person: Person, _ picks: Picks) async throws {
    let (uid, tenant) = ("custom-" + person.subject(number), tenant(picks[0]))
    let token = try await world.backend.customToken(forUser: uid, tenantID: tenant)
    var call = SignInWithCustomToken(token: Secret(token))
    let isElsewhere = picks[1] % 8 == 7
    let place = isElsewhere ? other(tenant ?? "") : tenant ?? ""
    call.tenantId = place.isEmpty ? nil : place
    note("\(person) signs in by a custom token \(place)")
    guard case .success(let answer) = await self.call(call) else { return }
    if isElsewhere { throw Violation("a custom token is good for another tenant") }
    if accounts[uid] == nil { insert(Owned(uid, place)) }
    accounts[uid]?.isCustom = true
    try add(answer.idToken, answer.refreshToken, of: person)
  }

  func refresh(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    note("\(person) refreshes")
    guard case .success(let answer) = await call(ExchangeRefreshToken(refreshToken: holdings[index].secret)) else {
      return
    }
    try requireLive(index, "a refresh token of \(person)")
    guard answer.userId == holdings[index].uid else { throw Violation("a refresh token yields another user") }
    holdings[index].idToken = answer.idToken
  }
}
