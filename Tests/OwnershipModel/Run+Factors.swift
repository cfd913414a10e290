import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import GatehouseTesting
import IdentityToolkit

// Second factors.
extension Run {
  func beginApp(_ person: Person, _ picks: Picks) async throws {
    guard let index = session(of: person, picks[0], suiting: { $0.isVerified }) else { return }
    note("\(person) begins to enroll an app")
    guard case .success(let answer) = await call(StartMfaEnrollment(idToken: holdings[index].idToken)),
      let begun = answer.totpSessionInfo, let uid = holdings[index].uid
    else { return }
    try use(session: index)
    hold(.pendingApp, begun.sharedSecretKey, of: person, for: uid)
    holdings[holdings.count - 1].session = begun.sessionInfo.revealed
  }

  func finishApp(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.pendingApp, of: person, picks[1]),
      let session = session(of: person, picks[0], suiting: { $0.uid == holdings[index].uid })
    else { return }
    let proof = TotpVerificationInfo(
      sessionInfo: Secret(holdings[index].session), verificationCode: try password(holdings[index].secret))
    note("\(person) enrolls the app")
    let call = FinalizeMfaEnrollment(idToken: holdings[session].idToken, displayName: nil, proof)
    guard case .success(let answer) = await self.call(call) else { return }
    try requireLive(index, "a begun enrollment of \(person)")
    guard holdings[index].uid == holdings[session].uid else { throw Violation("an enrollment of another account") }
    holdings[index].end = "it was used, in step \(step)"
    try await enrolled(answer, session, holdings[index].secret)
  }

  func enrollPhone(_ person: Person, _ picks: Picks) async throws {
    guard let session = session(of: person, picks[0], suiting: { $0.isVerified }) else { return }
    note("\(person) enrolls the phone")
    let asking = StartMfaEnrollment(idToken: holdings[session].idToken, phoneNumber: person.number(number))
    guard case .success(let begun) = await call(asking), let info = begun.phoneSessionInfo?.sessionInfo else { return }
    try use(session: session)
    guard let code = world.post.takeTexts().last?.code else { throw Violation("no code was sent to a phone") }
    let call = FinalizeMfaEnrollment(
      idToken: holdings[session].idToken, displayName: nil, PhoneVerificationInfo(sessionInfo: info, code: code))
    guard case .success(let answer) = await self.call(call) else { return }
    try await enrolled(answer, session, nil)
  }

  /// - Parameter secret: the secret of an app; `nil` for a phone.
  private func enrolled(_ answer: SecondFactorTokens, _ session: Int, _ secret: Secret?) async throws {
    try use(session: session)
    guard let uid = holdings[session].uid, let account = accounts[uid] else { return }
    guard account.isVerified else { throw Violation("an account with an unverified address has a second factor") }
    let person = holdings[session].holder
    let record = try await world.backend.account(AccountName(uid))
    let new = record.secondFactors.map(\.uid).filter { account.factors[$0] == nil }
    guard let id = new.first, new.count == 1 else { throw Violation("an enrollment added \(new.count) factors") }
    endSessions(uid, "a factor was enrolled")
    accounts[uid]?.factors[id] = .init(since: step, byUser: true)
    if let secret {
      hold(.app, secret, of: person, for: uid)
      holdings[holdings.count - 1].factor = id
    }
    try add(answer.idToken, answer.refreshToken, of: person, signedIn: holdings[session].signedIn)
    await collect(factor: id)
  }

  /// Answers a sign-in that waits, or begins one: with an app, without a secret, with a recovery code, or with the phone.
  func answerFactor(_ person: Person, _ picks: Picks) async throws {
    // Another person, if this one can begin no such sign-in.
    let able = Person.allCases.filter { person in
      holdings.contains {
        $0.kind == .password && $0.holder == person && $0.end == nil
          && $0.uid.flatMap { accounts[$0]?.factors.isEmpty } == false
      }
    }
    let person = able.isEmpty || able.contains(person) ? person : able[0]
    acting = person
    if !holdings.contains(where: { $0.kind == .waiting && $0.holder == person && $0.end == nil }) {
      try await signIn(person, picks)
    }
    guard let waiting = holding(.waiting, of: person, picks[0]), let uid = holdings[waiting].uid,
      let account = accounts[uid]
    else { return }
    let factors = account.factors.keys.sorted { (account.factors[$0]?.since ?? 0) < (account.factors[$1]?.since ?? 0) }
    guard !factors.isEmpty else { return }
    let (credential, factor) = (holdings[waiting].secret, factors[picks[1] % factors.count])
    var used: Int?
    var call: FinalizeMfaSignIn
    let own = holdings.firstIndex { $0.kind == .app && $0.holder == person && $0.factor == factor }
    // Without the factor's app, an empty secret.
    let way = picks[2] % 4 == 0 && picks[3] == 0 && own == nil ? 1 : picks[2] % 4
    switch way {
    case 0:
      guard let app = picks[3] == 0 ? own : holding(.app, of: person, picks[3]) else { return }
      used = app
      note("\(person) answers with an app")
      call = FinalizeMfaSignIn(credential, factor: factor, password: try password(holdings[app].secret))
    case 1:
      note("\(person) answers with the password of an empty secret")
      call = FinalizeMfaSignIn(credential, factor: factor, password: try password(Secret("")))
    case 2:
      guard let code = holding(.recoveryCode, of: person, picks[3]) else { return }
      used = code
      note("\(person) answers with a recovery code")
      call = FinalizeMfaSignIn(credential, recoveryCode: holdings[code].secret)
    default:
      var asking = StartMfaSignIn(credential, factor: factor)
      asking.tenantId = holdings[waiting].tenant.isEmpty ? nil : holdings[waiting].tenant
      note("\(person) answers with the phone")
      guard case .success(let begun) = await self.call(asking), let text = world.post.takeTexts().last else { return }
      try requireLive(waiting, "a waiting sign-in of \(person)")
      // Only the owner of the phone reads the code.
      let code = text.phoneNumber == person.number(number) ? text.code : Secret("000000")
      call = FinalizeMfaSignIn(
        credential, PhoneVerificationInfo(sessionInfo: begun.phoneResponseInfo.sessionInfo, code: code))
    }
    let isElsewhere = picks[4] % 8 == 7
    let tenant = isElsewhere ? other(account.tenant) : account.tenant
    call.tenantId = tenant.isEmpty ? nil : tenant
    guard case .success(let answer) = await self.call(call) else { return }
    if isElsewhere { throw Violation("a second factor is good in another tenant") }
    try requireLive(waiting, "a waiting sign-in of \(person)")
    holdings[waiting].end = "it was used, in step \(step)"
    switch way {
    case 0: try requireProof(used, uid, factor)
    case 1: throw Violation("an empty secret is a second factor")
    case 2:
      try requireProof(used, uid, nil)
      if let used { holdings[used].end = "it was used, in step \(step)" }
    default: break
    }
    if way != 2 { try await confirm(factor, of: uid, by: waiting) }
    try add(answer.idToken, answer.refreshToken, of: person)
  }

  /// A sign-in with a factor ends its code if it shows the owner: the password of before the enrollment, from where the
  /// owner was. Where the owner was is certain for a maker whom no other person has followed.
  private func confirm(_ factor: String, of uid: String, by waiting: Int) async throws {
    guard let account = accounts[uid] else { return }
    let (person, password) = (holdings[waiting].holder, holdings[waiting].byPassword)
    for code in holdings where code.factor == factor && code.takesFactor && code.end == nil {
      guard let password, password == code.password, password == account.password, code.owners.contains(person)
      else { continue }
      let isCertain = account.maker == person && account.visitors == [person] && !account.isForgotten
      let isGood = try await isGood(code)
      guard isCertain || !isGood else { continue }
      end(uid, "the owner has signed in with the factor") { $0.secret == code.secret }
    }
  }

  private func requireProof(_ index: Int?, _ uid: String, _ factor: String?) throws {
    guard let index else { return }
    try requireLive(index, "a second factor of \(holdings[index].holder)")
    guard holdings[index].uid == uid, holdings[index].factor == factor else {
      throw Violation("a proof of another factor was accepted")
    }
  }

  func makeRecoveryCodes(_ person: Person, _ picks: Picks) async throws {
    guard let index = session(of: person, picks[0], suiting: { !$0.factors.isEmpty }), let uid = holdings[index].uid
    else { return }
    note("\(person) makes recovery codes")
    guard case .success(let answer) = await call(MakeRecoveryCodes(idToken: holdings[index].idToken)) else { return }
    try use(session: index)
    end(uid, "there are new recovery codes") { $0.kind == .recoveryCode }
    for code in answer.recoveryCodes.prefix(2) { hold(.recoveryCode, code, of: person, for: uid) }
  }

  func withdraw(_ person: Person, _ picks: Picks) async throws {
    guard let index = session(of: person, picks[0], suiting: { !$0.factors.isEmpty }), let uid = holdings[index].uid,
      let factors = accounts[uid]?.factors.keys.sorted(), !factors.isEmpty
    else { return }
    let factor = factors[picks[1] % factors.count]
    note("\(person) withdraws a factor")
    let call = WithdrawMfa(idToken: holdings[index].idToken, mfaEnrollmentId: factor)
    guard case .success(let answer) = await self.call(call) else { return }
    try use(session: index)
    remove(factor: factor, from: uid)
    endSessions(uid, "a factor was withdrawn")
    try add(answer.idToken, answer.refreshToken, of: person, signedIn: holdings[index].signedIn)
  }

  func remove(factor: String, from uid: String) {
    accounts[uid]?.factors[factor] = nil
    end(uid, "the factor was removed") { $0.factor == factor }
    guard accounts[uid]?.factors.isEmpty == true else { return }
    end(uid, "there is no factor any more") { [.pendingApp, .recoveryCode, .waiting].contains($0.kind) }
  }

  /// The password that an app shows in the next period: each is good once.
  private func password(_ secret: Secret) throws -> String {
    world.clock.advance(by: 30)
    var bytes = Base32.decode(secret.revealed) ?? []
    // HMAC fills a key up with zeros: one zero is the same key as none, which the function refuses.
    if bytes.isEmpty { bytes = [0] }
    return try OneTimePassword.password(SecretBytes(bytes), step: OneTimePassword.step(at: now))
  }
}
