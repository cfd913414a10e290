import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import IdentityToolkit
import Testing

/// The kinds of codes in messages: the columns of the table in `Docs/SECURITY.md`.
enum CodeKind: String, CaseIterable {
  case newPassword = "new password"
  case signIn = "sign-in"
  case verification = "verification"
  case change = "change of address"
  case wayBack = "takes a change back"
  case notMine = "refuses an account"
  case notMyChange = "refuses a change"
  case removal = "removes a factor"
  case stop = "stops a removal"
}

/// A provider with an account for each kind of code: a verified address, a password and an app as second factor, made
/// and verified at home.
struct CodeStage {
  static let home = Caller(address: "198.51.100.1")
  static let elsewhere = Caller(address: "192.0.2.1")
  static let password = "correct horse"

  /// An account, and the code of its kind.
  struct Subject {
    let kind: CodeKind
    var email: String
    /// The address that a link for a sign-in was sent to.
    var recipient: String { "\(kind.rawValue.replacing(" ", with: "-"))@example.com" }
    var uid = ""
    /// The tokens of the session that has asked for the code.
    var idToken = Secret("")
    var secret = ""
    var factor = ""
    var password = CodeStage.password
    var code = Secret("")
  }

  let scene: Scene
  let outbox: Outbox
  var subjects: [Subject] = []

  init(_ adjust: (inout LocalOptions) -> Void = { _ in }) {
    (scene, outbox) = Scene.sending {
      $0.recentSignIn = nil
      $0.messageThrottle.attempts = 1000
      adjust(&$0)
    }
  }

  /// Makes all accounts, each with its code.
  mutating func fill() async throws {
    // Its code comes after days, the others within minutes.
    var stop = try await account(.stop)
    scene.clock.advance(by: 3 * 86400)
    await expectRefusal("SECOND_FACTOR_REMOVAL_DELAYED") { [stop] in try await apply(stop.code) }
    stop.code = try await code(.revertSecondFactorAddition, to: stop.email)
    stop.idToken = try await signIn(stop, from: Self.elsewhere)
    for kind in CodeKind.allCases where kind != .stop {
      var subject = try await account(kind)
      try await ask(for: &subject)
      subjects.append(subject)
    }
    subjects.append(stop)
  }

  /// Makes an account. The code is that of its second factor.
  func account(_ kind: CodeKind) async throws -> Subject {
    let name = kind.rawValue.replacing(" ", with: "-")
    var subject = Subject(kind: kind, email: "\(name)@example.com")
    let first = kind == .wayBack ? "former-\(name)@example.com" : subject.email
    let user = try await at(Self.home).answer(SignUp(email: first, password: Secret(subject.password)))
    (subject.uid, subject.idToken) = (user.localId, user.idToken)
    try await verify(user.idToken, of: first)
    if kind == .wayBack {
      subject.email = first
      try await move(&subject, to: "\(name)@example.com")
      subject.idToken = try await at(Self.home)
        .answer(SignInWithPassword(email: subject.email, password: Secret(subject.password))).idToken
    }
    (subject.secret, subject.factor, subject.idToken) = try await enroll(subject)
    subject.code = try await code(.revertSecondFactorAddition, to: subject.email)
    return subject
  }

  private func ask(for subject: inout Subject) async throws {
    let (email, idToken, new) = (subject.email, subject.idToken, "new-\(subject.email)")
    switch subject.kind {
    case .newPassword: subject.code = try await sent(.passwordReset, to: email) { $0.email = email }.code
    case .signIn: subject.code = try await sent(.emailSignIn, to: email) { $0.email = email }.code
    case .verification: subject.code = try await sent(.verifyEmail, to: email) { $0.idToken = idToken }.code
    case .notMine:
      subject.code = try Self.secondCode(of: try await sent(.verifyEmail, to: email) { $0.idToken = idToken })
    case .change, .notMyChange:
      let message = try await sent(.verifyAndChangeEmail, to: new) { ($0.idToken, $0.newEmail) = (idToken, new) }
      subject.code = subject.kind == .change ? message.code : try Self.secondCode(of: message)
    case .wayBack: subject.code = try await code(.recoverEmail, to: "former-\(email)")
    case .removal, .stop: break
    }
  }

  // MARK: Calls

  func at(_ caller: Caller) -> CallerBackend { scene.backend.backend(for: caller) }

  func apply(_ code: Secret, password: String? = nil, from caller: Caller = home) async throws(AuthError) {
    var call = Update(oobCode: code)
    call.password = password.map { Secret($0) }
    _ = try await at(caller).answer(call)
  }

  func verify(_ idToken: Secret, of email: String) async throws {
    try await apply(sent(.verifyEmail, to: email) { $0.idToken = idToken }.code)
  }

  func move(_ subject: inout Subject, to new: String) async throws {
    let idToken = subject.idToken
    try await apply(sent(.verifyAndChangeEmail, to: new) { ($0.idToken, $0.newEmail) = (idToken, new) }.code)
    subject.email = new
  }

  func reset(_ subject: Subject, to password: String = "battery staple", from caller: Caller = home) async throws {
    let code = try await sent(.passwordReset, to: subject.email) { $0.email = subject.email }.code
    _ = try await at(caller).answer(ResetPassword(oobCode: code, newPassword: Secret(password)))
  }

  func enroll(
    _ subject: Subject, from caller: Caller = home
  ) async throws -> (secret: String, factor: String, idToken: Secret) {
    let begun = try await at(caller).answer(StartMfaEnrollment(idToken: subject.idToken))
    let session = try #require(begun.totpSessionInfo)
    let secret = session.sharedSecretKey.revealed
    let proof = TotpVerificationInfo(
      sessionInfo: session.sessionInfo, verificationCode: try oneTimePassword(secret))
    let tokens = try await at(caller)
      .answer(FinalizeMfaEnrollment(idToken: subject.idToken, displayName: nil, proof))
    let factors = try await scene.lookUp(tokens.idToken).mfaInfo ?? []
    return (secret, try #require(factors.last?.mfaEnrollmentId), tokens.idToken)
  }

  /// Signs in with the password, as far as the second factor.
  func waiting(_ subject: Subject, from caller: Caller) async throws -> Secret {
    let error = await expectRefusal(.secondFactorRequired) {
      try await at(caller).answer(SignInWithPassword(email: subject.email, password: Secret(subject.password)))
    }
    return try #require(error?.pendingSignIn).credential
  }

  /// Signs in with the password and the app.
  func signIn(_ subject: Subject, from caller: Caller) async throws -> Secret {
    let pending = try await waiting(subject, from: caller)
    let call = FinalizeMfaSignIn(pending, factor: subject.factor, password: try oneTimePassword(subject.secret))
    return try await at(caller).answer(call).idToken
  }

  /// The password that an app shows in the next period: each is good once.
  func oneTimePassword(_ secret: String) throws -> String {
    scene.clock.advance(by: 30)
    let bytes = try #require(Base32.decode(secret))
    return try OneTimePassword.password(
      SecretBytes(bytes), step: OneTimePassword.step(at: Int64(scene.clock.now().wall)))
  }

  // MARK: Messages

  /// Asks at home for a message, and returns it.
  func sent(
    _ type: ActionCodeType, to email: String, _ set: (inout SendOobCode) -> Void
  ) async throws -> OutgoingMessage {
    var call = SendOobCode(type)
    if type == .emailSignIn { call.continueUrl = "http://localhost/app" }
    set(&call)
    _ = try await at(Self.home).answer(call)
    return try #require(outbox.messages.last { $0.type == type && $0.recipient == email })
  }

  /// Returns the code of the latest message of a type to an address, which may come after its call.
  func code(_ type: ActionCodeType, to email: String) async throws -> Secret {
    await scene.backend.settle()
    return try #require(outbox.messages.last { $0.type == type && $0.recipient == email }).code
  }

  /// Returns the code of a message's second link.
  static func secondCode(of message: OutgoingMessage) throws -> Secret {
    let codes = message.text.revealed.matches(of: /oobCode=([A-Za-z0-9_-]+)/).map { String($0.1) }
    return Secret(try #require(codes.count == 2 ? codes.last : nil))
  }
}
