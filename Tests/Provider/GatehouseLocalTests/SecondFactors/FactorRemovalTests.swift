import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// The code of the message about a new second factor: what it needs as time passes, and who can end it (decision 147).
struct FactorRemovalTests {
  private static let days: Double = 86400
  private let stage: CodeStage

  init() {
    stage = CodeStage { $0.throttle = Throttle(attempts: 3, window: .seconds(300)) }
  }

  /// Makes an account with a factor, and lets some days pass.
  private func account(daysAgo days: Double = 0, in stage: CodeStage? = nil) async throws -> CodeStage.Subject {
    let stage = stage ?? self.stage
    let subject = try await stage.account(.removal)
    stage.scene.clock.advance(by: days * Self.days)
    return subject
  }

  private func factors(_ subject: CodeStage.Subject, in stage: CodeStage? = nil) async throws -> [String] {
    try await (stage ?? self.stage).scene.backend.account(AccountName(subject.uid)).secondFactors.map(\.uid)
  }

  private func isDelayed(_ subject: CodeStage.Subject, in stage: CodeStage? = nil) async -> AuthError? {
    await expectRefusal("SECOND_FACTOR_REMOVAL_DELAYED") { try await (stage ?? self.stage).apply(subject.code) }
  }

  /// The messages about factors to an account's address.
  private func messages(_ subject: CodeStage.Subject) async -> [OutgoingMessage] {
    await stage.scene.backend.settle()
    return stage.outbox.messages
      .filter { $0.type == .revertSecondFactorAddition && $0.recipient == subject.email }
  }

  // MARK: Time

  @Test func `for three days a code removes the factor alone, and then no longer`() async throws {
    let old = try await account(daysAgo: 3)
    let error = await isDelayed(old)
    #expect(error?.message.contains("give the account's password with it, or use it again after 20") == true)
    #expect(error?.retryAfter == .seconds(3 * Self.days))
    #expect(try await factors(old) == [old.factor])

    let stage = CodeStage()
    let new = try await account(daysAgo: 2.9, in: stage)
    try await stage.apply(new.code)
    #expect(try await factors(new, in: stage) == [])
  }

  @Test func `the settings say how long a code removes the factor alone, and how long it waits`() async throws {
    let stage = CodeStage {
      $0.codeLifetimes.secondFactorRemoval = .seconds(60)
      $0.codeLifetimes.secondFactorWait = .seconds(90)
    }
    let subject = try await account(in: stage)
    stage.scene.clock.advance(by: 60)
    #expect(await isDelayed(subject, in: stage)?.retryAfter == .seconds(90))
    stage.scene.clock.advance(by: 90)
    try await stage.apply(subject.code)
    #expect(try await factors(subject, in: stage) == [])
  }

  @Test func `the message says until when its link removes the factor at once, and when it ends`() async throws {
    let subject = try await account()
    let text = try #require(await messages(subject).first).text.revealed
    #expect(text.contains("Until 2027-01-18T") && text.contains("until 2027-02-14T"), "\(text)")
  }

  @Test func `a code ends after thirty days, with the password too`() async throws {
    let subject = try await account(daysAgo: 30)
    await expectRefusal("EXPIRED_OOB_CODE") { try await stage.apply(subject.code, password: subject.password) }
  }

  // MARK: With the password

  @Test func `later a code removes the factor with the account's password`() async throws {
    let subject = try await account(daysAgo: 29)
    try await stage.apply(subject.code, password: subject.password)
    #expect(try await factors(subject) == [])
  }

  @Test func `a wrong password beside a code counts like one of a sign-in, and is in the log`() async throws {
    let subject = try await account(daysAgo: 3)
    // One network may use up half of the three tries, rounded up.
    for _ in 1...2 {
      await expectRefusal("INVALID_PASSWORD") {
        try await stage.apply(subject.code, password: "wrong horse", from: CodeStage.elsewhere)
      }
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await stage.apply(subject.code, password: subject.password, from: CodeStage.elsewhere)
    }
    await expectRefusal("TOO_MANY_ATTEMPTS_TRY_LATER") {
      try await stage.at(CodeStage.elsewhere)
        .answer(SignInWithPassword(email: subject.email, password: Secret(subject.password)))
    }
    await stage.scene.backend.settle()
    #expect(try stage.scene.events(in: "refused").filter { $0.name == "signInFailed" }.count == 2)
    #expect(await messages(subject).count == 1)
    stage.scene.clock.advance(by: 300)
    try await stage.apply(subject.code, password: subject.password)
    #expect(try await factors(subject) == [])
  }

  @Test func `an account without a password gives no code what it needs`() async throws {
    let subject = try await account()
    _ = try await stage.scene.update(subject.idToken) { $0.deleteProvider = ["password"] }
    stage.scene.clock.advance(by: 3 * Self.days)
    await expectRefusal("INVALID_PASSWORD") { try await stage.apply(subject.code, password: subject.password) }
    #expect(try await factors(subject) == [subject.factor])
  }

  // MARK: After the waiting time

  @Test func `without the password a code removes the factor after a waiting time, of which the owner hears once`()
    async throws
  {
    let subject = try await account(daysAgo: 3)
    _ = await isDelayed(subject)
    stage.scene.clock.advance(by: 3 * Self.days - 1)
    #expect(await isDelayed(subject)?.retryAfter == .seconds(1))
    let messages = await messages(subject)
    #expect(messages.count == 2 && messages.last?.subject.contains("will be removed") == true)
    #expect(messages.last?.text.revealed.contains("after 2027-01-2") == true)
    stage.scene.clock.advance(by: 1)
    try await stage.apply(subject.code)
    #expect(try await factors(subject) == [])
    let stop = try #require(messages.last).code
    await expectRefusal("INVALID_OOB_CODE") { try await stage.apply(stop) }
  }

  @Test func `the link of the message about a removal stops it for good`() async throws {
    let subject = try await account(daysAgo: 3)
    _ = await isDelayed(subject)
    let stop = try #require(await messages(subject).last).code
    try await stage.apply(stop)
    stage.scene.clock.advance(by: 3 * Self.days)
    await expectRefusal("INVALID_OOB_CODE") { try await stage.apply(subject.code) }
    await expectRefusal("INVALID_OOB_CODE") { try await stage.apply(stop) }
    #expect(try await factors(subject) == [subject.factor])
  }

  @Test func `the owner's sign-in with the factor ends a removal that waits`() async throws {
    let subject = try await account(daysAgo: 3)
    _ = await isDelayed(subject)
    _ = try await stage.signIn(subject, from: CodeStage.home)
    stage.scene.clock.advance(by: 3 * Self.days)
    await expectRefusal("INVALID_OOB_CODE") { try await stage.apply(subject.code) }
  }

  @Test func `no waiting time begins that would outlast the code`() async throws {
    let subject = try await account(daysAgo: 28)
    #expect(await isDelayed(subject)?.message.contains("after 2") == false)
    #expect(await messages(subject).count == 1)
    try await stage.apply(subject.code, password: subject.password)
  }

  // MARK: Others end no code

  /// A thief enrolls a factor from elsewhere, and signs in with it; then the owner uses the code.
  private func ownerRemovesFactor(of thief: CodeStage.Subject) async throws {
    var thief = thief
    (thief.secret, thief.factor, thief.idToken) = try await stage.enroll(thief, from: CodeStage.elsewhere)
    let code = try await stage.code(.revertSecondFactorAddition, to: thief.email)
    _ = try await stage.signIn(thief, from: CodeStage.elsewhere)
    try await stage.apply(code)
    #expect(try await factors(thief) == [])
  }

  /// Signs up at home, and verifies the address.
  private func owner(verifyingIn caller: Caller = CodeStage.home) async throws -> CodeStage.Subject {
    var subject = CodeStage.Subject(kind: .removal, email: "ada@example.com")
    let user = try await stage.at(CodeStage.home)
      .answer(SignUp(email: subject.email, password: Secret(subject.password)))
    (subject.uid, subject.idToken) = (user.localId, user.idToken)
    let code = try await stage.sent(.verifyEmail, to: subject.email) { $0.idToken = user.idToken }.code
    try await stage.apply(code, from: caller)
    return subject
  }

  @Test func `a person who knows the password does not end the code of their factor, however often they sign in`()
    async throws
  {
    var thief = try await owner()
    for _ in 1...2 {
      let call = SignInWithPassword(email: thief.email, password: Secret(thief.password))
      thief.idToken = try await stage.at(CodeStage.elsewhere).answer(call).idToken
    }
    try await ownerRemovesFactor(of: thief)
  }

  @Test func `a thief of a session who has changed the password before does not end the code of their factor`()
    async throws
  {
    var thief = try await owner()
    var change = Update(idToken: thief.idToken)
    change.password = Secret("known to eve")
    _ = try await stage.at(CodeStage.elsewhere).answer(change)
    thief.password = "known to eve"
    let call = SignInWithPassword(email: thief.email, password: Secret(thief.password))
    thief.idToken = try await stage.at(CodeStage.elsewhere).answer(call).idToken
    try await ownerRemovesFactor(of: thief)
  }

  @Test func `the maker of an account whose address another person has verified does not end the code of their factor`()
    async throws
  {
    var stranger = try await owner(verifyingIn: CodeStage.elsewhere)
    (stranger.secret, stranger.factor, stranger.idToken) = try await stage.enroll(stranger)
    let code = try await stage.code(.revertSecondFactorAddition, to: stranger.email)
    _ = try await stage.signIn(stranger, from: CodeStage.home)
    try await stage.apply(code, from: CodeStage.elsewhere)
    #expect(try await factors(stranger) == [])
  }

  @Test func `a network where the owner has not been before the enrollment ends no code`() async throws {
    let subject = try await account()
    // A reader of the mail makes a network the owner's; that is too late.
    let link = try await stage.sent(.verifyEmail, to: subject.email) { $0.idToken = subject.idToken }.code
    try await stage.apply(link, from: CodeStage.elsewhere)
    _ = try await stage.signIn(subject, from: CodeStage.elsewhere)
    try await stage.apply(subject.code)
    #expect(try await factors(subject) == [])
  }

  @Test func `a device that was with the owner at home ends a code from elsewhere`() async throws {
    var subject = try await owner()
    let cookie = try await stage.scene.backend.deviceCookie(forIDToken: subject.idToken.revealed)
    let call = SignInWithPassword(email: subject.email, password: Secret(subject.password))
    let device = Caller(address: "198.51.100.1", device: cookie)
    subject.idToken = try await stage.at(device).answer(call).idToken
    (subject.secret, subject.factor, subject.idToken) = try await stage.enroll(subject)
    let code = try await stage.code(.revertSecondFactorAddition, to: subject.email)
    _ = try await stage.signIn(subject, from: Caller(address: "192.0.2.1", device: cookie))
    await expectRefusal("INVALID_OOB_CODE") { try await stage.apply(code) }
  }
}
