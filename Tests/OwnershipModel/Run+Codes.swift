import GatehouseBase
import GatehouseLocal
import IdentityToolkit

// Codes of messages.
extension Run {
  // MARK: Asking

  func ask(_ type: ActionCodeType, _ address: String, _ tenant: String?) async throws {
    var call = SendOobCode(type)
    (call.email, call.tenantId) = (address, tenant)
    if type == .emailSignIn { call.continueUrl = "http://localhost/app" }
    note("\(type.rawValue) is asked for \(address) \(tenant ?? "")")
    _ = await self.call(call)
    await collect(askedBy: "")
  }

  func askVerification(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    var call = SendOobCode(.verifyEmail)
    call.idToken = holdings[index].idToken
    note("\(person) asks to verify the address")
    guard case .success = await self.call(call) else { return }
    try use(session: index)
    await collect(askedBy: holdings[index].session)
  }

  func askChange(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    let address = address(picks[1])
    var call = SendOobCode(.verifyAndChangeEmail)
    (call.idToken, call.newEmail) = (holdings[index].idToken, address)
    note("\(person) asks to change the address to \(address)")
    guard case .success = await self.call(call) else { return }
    try use(session: index)
    await collect(askedBy: holdings[index].session)
  }

  /// Takes the messages that have come, each to the owner of its mailbox.
  ///
  /// - Parameters:
  ///   - session: the session that has asked for them; empty if none has.
  ///   - factor: the factor that the step has added.
  ///   - stopping: the code whose waiting time has begun.
  func collect(askedBy session: String = "", factor: String? = nil, stopping: Holding? = nil) async {
    await world.backend.settle()
    for message in world.post.takeMessages() {
      note("  \(message.type.rawValue) to \(message.recipient)")
      received.append(message)
      guard let holder = owner(of: message.recipient), let link = Link(message.link.revealed) else { continue }
      var holding = Holding(.code, of: holder, message.code, opens: message.uid, link.tenant, since: step)
      (holding.type, holding.address, holding.session) = (message.type, message.recipient, session)
      if message.type == .recoverEmail {
        holding.change = step
        holding.verified = message.uid.flatMap { before[$0] }.flatMap { $0.isVerified ? $0.verified : nil }
      }
      holding.factor = factor
      if message.type == .revertSecondFactorAddition {
        let account = message.uid.flatMap { accounts[$0] }
        holding.enrolledAt = stopping?.enrolledAt ?? now
        (holding.password, holding.owners) = (account?.password, account?.owners ?? [])
        holding.stops = stopping?.secret
      }
      holdings.append(holding)
      guard [.verifyEmail, .verifyAndChangeEmail].contains(message.type),
        let notMe = message.text.revealed.split(separator: "\n").compactMap({ Link(String($0)) }).last
      else { continue }
      holding.refuses = message.type == .verifyAndChangeEmail
      if holding.refuses { holding.change = step }
      (holding.type, holding.secret, holding.session) = (.recoverEmail, Secret(notMe.code), "")
      holdings.append(holding)
    }
  }

  // MARK: Using

  /// Uses a code: mostly for its purpose, sometimes for another one or in another tenant.
  func useCode(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.code, of: person, picks[0]) else { return }
    let purposes: [ActionCodeType] = [holdings[index].type, .passwordReset, .emailSignIn, .verifyEmail]
    let purpose = purposes[[0, 0, 0, 0, 0, 1, 2, 3][picks[1] % 8]]
    try await use(code: index, as: purpose, isElsewhere: picks[2] % 8 == 7, password: picks[3])
  }

  /// Reads the mail of another person, the oldest first, and uses a code in it for its purpose.
  func readOldMail(_ person: Person, _ picks: Picks) async throws {
    let codes = holdings.indices.filter { holdings[$0].kind == .code && holdings[$0].holder != person }
    let live = codes.filter { holdings[$0].end == nil }
    guard let index = picks[1] % 4 == 3 || live.isEmpty ? codes.first : live[picks[0] % live.count] else { return }
    var stolen = holdings[index]
    stolen.holder = person
    holdings.append(stolen)
    note("\(person) reads the mail of \(holdings[index].holder)")
    try await use(code: holdings.count - 1, as: stolen.type, password: picks[3])
  }

  /// - Parameter pick: the choice of a password beside a code that removes a factor; none for an even one.
  private func use(
    code index: Int, as purpose: ActionCodeType, isElsewhere: Bool = false, password pick: Int = 0
  ) async throws {
    let (person, code) = (holdings[index].holder, holdings[index])
    let before = acting
    acting = person
    defer { acting = before }
    let tenant = isElsewhere ? other(code.tenant) : code.tenant
    let tenantID = tenant.isEmpty ? nil : tenant
    note("\(person) uses a code (\(code.type.rawValue)) as \(purpose.rawValue) \(tenant)")
    switch purpose {
    case .passwordReset:
      let password = newPassword()
      var call = ResetPassword(oobCode: code.secret, newPassword: password)
      call.tenantId = tenantID
      guard case .success = await self.call(call) else { return }
      try requireGood(index, [.passwordReset], tenant)
      try reset(index, password)
    case .emailSignIn:
      var call = SignInWithEmailLink(email: code.address, oobCode: code.secret)
      call.tenantId = tenantID
      let result = await self.call(call)
      if case .failure(let error) = result, error.pendingSignIn == nil { return }
      try requireGood(index, [.emailSignIn], tenant)
      try signedIn(index, result)
    default:
      var call = Update(oobCode: code.secret)
      call.tenantId = tenantID
      let isDelayed = code.takesFactor && now >= code.enrolledAt + 3 * 86_400
      let password = isDelayed && pick % 2 == 1 ? holding(.password, of: person, pick / 2) : nil
      call.password = password.map { holdings[$0].secret }
      let answer: Update.Response
      switch await self.call(call) {
      case .success(let response): answer = response
      case .failure(let error): return try await refused(index, error, isDelayed: isDelayed)
      }
      try requireGood(
        index, [.verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition], tenant)
      if isDelayed { try requireMore(code, password) }
      guard answer.localId == code.uid else { throw Violation("a code changes another account") }
      try applied(index)
    }
  }

  /// Requires that a code which alone is not sufficient came with the account's password, or after its waiting time.
  private func requireMore(_ code: Holding, _ password: Int?) throws {
    if let password, holdings[password].uid == code.uid, holdings[password].end == nil { return }
    if let removesAt = code.removesAt, now >= removesAt { return }
    throw Violation("a code removes a second factor alone, days after its enrollment")
  }

  /// Notes the waiting time of a code that was refused, and takes the message about it.
  private func refused(_ index: Int, _ error: AuthError, isDelayed: Bool) async throws {
    guard error.serverCode == "SECOND_FACTOR_REMOVAL_DELAYED" else { return }
    guard isDelayed, holdings[index].end == nil else { throw Violation("a code is refused for a time that is over") }
    guard holdings[index].removesAt == nil, error.retryAfter != nil else { return }
    isDone = true
    authority = .proof
    for other in holdings.indices where holdings[other].secret == holdings[index].secret {
      holdings[other].removesAt = now + 3 * 86_400
    }
    await collect(stopping: holdings[index])
    guard received.contains(where: { $0.recipient == holdings[index].uid.flatMap { accounts[$0] }?.email }) else {
      throw Violation("the owner does not hear that a factor will be removed")
    }
  }

  /// Requires that a code which was accepted is good: once, for its purpose and in its tenant.
  private func requireGood(_ index: Int, _ types: Set<ActionCodeType>, _ tenant: String) throws {
    try requireLive(index, "a code (\(holdings[index].type.rawValue)) of \(holdings[index].holder)")
    guard types.contains(holdings[index].type) else { throw Violation("a code is good for another purpose") }
    guard tenant == holdings[index].tenant else { throw Violation("a code is good in another tenant") }
    if let uid = holdings[index].uid {
      guard let account = accounts[uid], !account.isDisabled else {
        throw Violation("a code is good for a disabled or deleted account")
      }
    }
    // Another person may have read the same message.
    for other in holdings.indices where holdings[other].secret == holdings[index].secret {
      holdings[other].end = holdings[other].end ?? "it was used, in step \(step)"
    }
    authority = .proof
    if let uid = holdings[index].uid {
      accounts[uid]?.visitors.insert(acting)
      accounts[uid]?.owners.insert(acting)
    }
  }

  private func reset(_ index: Int, _ password: Secret) throws {
    let code = holdings[index]
    guard let uid = code.uid, let account = accounts[uid], account.email == code.address else {
      throw Violation("a code resets the password of an account with another address")
    }
    account.isVerified ? endBeforeVerification(uid) : beginAnew(uid)
    endSessions(uid, "the password was reset")
    end(uid, "the password was reset") {
      $0.type == .recoverEmail && ($0.refuses || $0.change == nil) && $0.address == code.address
    }
    hold(password: password, of: code.holder, for: uid)
    accounts[uid]?.isVerified = true
  }

  private func signedIn(_ index: Int, _ result: Result<SignInResponse, AuthError>) throws {
    let code = holdings[index]
    let existing = account(having: code.address, code.tenant)
    if let existing { accounts[existing]?.isVerified == false ? beginAnew(existing) : admit(existing) }
    let answer = try? result.get()
    guard let uid = answer?.localId ?? existing, existing ?? uid == uid else {
      throw Violation("a link opens another account")
    }
    if existing == nil {
      guard accounts[uid] == nil else { throw Violation("a link opens an account with another address") }
      insert(Owned(uid, code.tenant))
    }
    accounts[uid]?.setAddress(code.address, isVerified: true)
    accounts[uid]?.owners.insert(code.holder)
    accounts[uid]?.hasLink = true
    if case .failure(let error) = result { return try add(error, for: uid, of: code.holder) }
    try requireNoFactors(uid)
    try add(answer?.idToken, answer?.refreshToken, of: code.holder)
  }

  /// Links the address of a code to the account of a session.
  func linkByCode(_ person: Person, _ picks: Picks) async throws {
    if picks[0] == 0 { try await ask(.emailSignIn, person.addresses(number)[picks[2] % 2], tenant(picks[3])) }
    let links = holdings.indices.filter { holdings[$0].holder == person && holdings[$0].type == .emailSignIn }
    guard let session = holding(.session, of: person, picks[1]), !links.isEmpty else { return }
    let index = links[links.count - 1 - picks[0] % links.count], code = holdings[index]
    note("\(person) links \(code.address) by a code")
    let call = SignInWithEmailLink(
      email: code.address, oobCode: code.secret, linkingTo: holdings[session].idToken)
    guard case .success(let answer) = await self.call(call) else { return }
    try requireGood(index, [.emailSignIn], holdings[session].tenant)
    try use(session: session)
    guard let uid = holdings[session].uid, let old = accounts[uid], answer.localId == uid else {
      throw Violation("an address was linked to another account")
    }
    if !old.hasWays { endSessions(uid, "the account has got its first way") }
    if old.email == nil { accounts[uid]?.email = code.address }
    if !old.isVerified {
      endCodes(uid, "the address was verified")
      accounts[uid]?.verified = step
    }
    accounts[uid]?.isVerified = true
    accounts[uid]?.hasLink = true
    authority = .proof
    try add(answer.idToken, answer.refreshToken, of: person)
  }

  private func applied(_ index: Int) throws {
    let code = holdings[index]
    guard let uid = code.uid, let account = accounts[uid] else { throw Violation("a code changes no account") }
    switch code.type {
    case .verifyEmail:
      guard account.email == code.address else { throw Violation("a code verifies another address") }
      if !account.isVerified { accounts[uid]?.verified = step }
      accounts[uid]?.isVerified = true
      endCodes(uid, "the address was verified")
    case .verifyAndChangeEmail: try move(uid, to: code.address)
    case .recoverEmail where code.refuses:
      end(uid, "the change was refused") { $0.type == .verifyAndChangeEmail && $0.address == code.address }
      if account.email == code.address { loseAddress(uid, "the change was refused") }
    case .recoverEmail:
      guard let change = code.change else { return try empty(uid, code) }
      if code.verified == nil { beginAnew(uid) }
      try move(uid, to: code.address)
      if let verified = code.verified { accounts[uid]?.verified = verified }
      loseAdditions(uid, since: change)
    case .revertSecondFactorAddition where code.stops != nil:
      guard holdings.contains(where: { $0.secret == code.stops && $0.end == nil }) else {
        throw Violation("a code stops a removal that is over")
      }
      end(uid, "the removal was stopped") { $0.secret == code.stops }
    default:
      guard let factor = code.factor, account.factors[factor] != nil else {
        throw Violation("a code takes another factor away")
      }
      remove(factor: factor, from: uid)
      endSessions(uid, "a factor was taken away")
    }
  }

  private func move(_ uid: String, to address: String) throws {
    try claim(address, for: uid)
    endSessions(uid, "the address was changed")
    if accounts[uid]?.email != address { accounts[uid]?.verified = step }
    accounts[uid]?.setAddress(address, isVerified: true)
  }

  /// Empties the account of a message whose recipient has not made it.
  private func empty(_ uid: String, _ code: Holding) throws {
    guard accounts[uid]?.email == code.address else {
      throw Violation("a code empties an account with another address")
    }
    guard accounts[uid]?.isVerified == true else { return beginAnew(uid) }
    endBeforeVerification(uid)
    endSessions(uid, "the account was emptied")
    end(uid, "the account was emptied") { $0.kind == .password }
    accounts[uid]?.password = nil
  }

  /// Ends the phone, the identities and the factors that are older than the verification of the address.
  private func endBeforeVerification(_ uid: String) {
    guard let account = accounts[uid] else { return }
    if let phone = account.phone, phone.since < account.verified { accounts[uid]?.phone = nil }
    accounts[uid]?.identities = account.identities.filter { $0.value.since >= account.verified }
    admit(uid)
  }

  private func loseAdditions(_ uid: String, since change: Int) {
    guard let account = accounts[uid] else { return }
    accounts[uid]?.identities = account.identities.filter { $0.value.since < change }
    if let phone = account.phone, phone.since >= change { accounts[uid]?.phone = nil }
    if let password = account.password, password >= change {
      accounts[uid]?.password = nil
      end(uid, "the change was taken back") { $0.kind == .password }
    }
    // A code that refuses a change was sent before the change, perhaps in the same step.
    end(uid, "an earlier change was taken back") { code in
      code.change.map { code.refuses ? $0 > change : $0 >= change } ?? false
    }
    loseFactors(uid, since: change)
  }

  private func loseFactors(_ uid: String, since change: Int) {
    for (id, factor) in accounts[uid]?.factors ?? [:] where factor.byUser && factor.since >= change {
      accounts[uid]?.factors[id] = nil
      end(uid, "the factor was removed") { $0.factor == id }
    }
    end(uid, "a change was taken back") { $0.kind == .recoveryCode || $0.kind == .pendingApp }
  }

  // MARK: Both

  /// Asks for a code to one of the person's own addresses, and uses it.
  func prove(_ type: ActionCodeType, _ person: Person, _ picks: Picks) async throws {
    let address = person.addresses(number)[picks[0] % 4 == 3 ? 1 : 0]
    try await ask(type, address, tenant(picks[1]))
    guard let index = holdings.lastIndex(where: { $0.since == step && $0.type == type && $0.holder == person }) else {
      return
    }
    try await use(code: index, as: type)
  }

  /// Asks to verify the address of a session, and has its owner follow the link.
  func verify(_ person: Person, _ picks: Picks) async throws {
    try await askVerification(person, picks)
    guard let index = holdings.lastIndex(where: { $0.since == step && $0.type == .verifyEmail }) else { return }
    try await use(code: index, as: .verifyEmail)
  }

  /// Asks to change the address of a session, and has the owner of the new address follow one of the links.
  func move(_ person: Person, _ picks: Picks) async throws {
    try await askChange(person, picks)
    let links = holdings.indices.filter { holdings[$0].since == step && holdings[$0].kind == .code }
    guard let index = picks[2] % 8 == 7 ? links.last : links.first else { return }
    try await use(code: index, as: holdings[index].type)
  }
}

/// The link of a message.
struct Link {
  let code: String
  let tenant: String

  init?(_ url: String) {
    guard url.hasPrefix("http"), let query = url.split(separator: "?").last else { return nil }
    var values: [Substring: Substring] = [:]
    for item in query.split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[parts[0]] = parts[1] }
    }
    guard let code = values["oobCode"] else { return nil }
    self.code = String(code)
    tenant = values["tenantId"].map(String.init) ?? ""
  }
}
