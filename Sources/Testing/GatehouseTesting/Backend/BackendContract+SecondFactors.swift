import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend with authenticator apps. They need `Equipment.code`, to verify addresses, and
  /// `Equipment.now`; the check of phones needs `Equipment.textCode`.
  public static let secondFactors: [EquippedCheck] = [
    EquippedCheck(name: "a sign-in to an account with an app waits for a code, which is good once") {
      backend, equipment in
      let app = try await App(Person(), backend, equipment)
      let pending = try await app.pendingSignIn(backend)
      let factor = try app.factor(of: pending)
      let wrong = FinalizeMfaSignIn(pending.credential, factor: factor, password: try app.wrongPassword(equipment))
      try await expectRefusal(of: wrong, by: backend, with: [.invalidVerificationCode], "a code that no app shows")
      // The current password was used for the enrollment.
      let password = try app.password(1, equipment)
      let right = FinalizeMfaSignIn(pending.credential, factor: factor, password: password)
      guard case .success(let tokens) = await outcome(of: right, by: backend) else {
        throw Violation(description: "a sign-in should go on waiting after a wrong code, and end with the right one")
      }
      let account = try await backend.account(tokens.idToken)
      try expect(account.localId, isExactly: app.uid, "the account of a sign-in with an app")
      _ = try await backend.refresh(tokens.refreshToken)
      try await expectRefusal(of: right, by: backend, "a sign-in that has ended already")
      let next = FinalizeMfaSignIn(
        try await app.pendingSignIn(backend).credential, factor: factor, password: password)
      try await expectRefusal(of: next, by: backend, with: [.invalidVerificationCode], "a code that was used")
    },
    EquippedCheck(name: "an app that is enrolled is listed, and ends the sessions before it") { backend, equipment in
      let app = try await App(Person(), backend, equipment)
      let factors = try await backend.account(app.tokens.idToken).mfaInfo ?? []
      try expect(factors.count == 1, "an account with one app should list one factor, and lists \(factors.count)")
      try expect(factors.first?.displayName, isExactly: "tablet", "the name of the app")
      let refresh = ExchangeRefreshToken(refreshToken: app.before)
      try await expectRefusal(of: refresh, by: backend, with: endedSession, "a session that has shown no factor")
      try expect(
        try await backend.refresh(app.tokens.refreshToken).userId, isExactly: app.uid, "the user of the new tokens")
    },
    EquippedCheck(name: "an app is enrolled by its own code only") { backend, equipment in
      let ada = Person()
      let made = try await backend.signUp(ada)
      try await verify(ada, made.idToken, backend, equipment)
      guard let session = try await backend.answer(StartMfaEnrollment(idToken: made.idToken)).totpSessionInfo else {
        throw Violation(description: "the enrolment of an app should begin with a secret")
      }
      let wrong = try App.wrongPassword(session.sharedSecretKey, equipment)
      let call = FinalizeMfaEnrollment(
        idToken: made.idToken, displayName: nil,
        TotpVerificationInfo(sessionInfo: session.sessionInfo, verificationCode: wrong))
      try await expectRefusal(of: call, by: backend, with: [.invalidVerificationCode], "an enrolment by a wrong code")
      try expect(try await backend.signIn(ada).localId, isExactly: made.localId, "the account without an app")
    },
    EquippedCheck(name: "an app that was taken away is not asked for") { backend, equipment in
      let app = try await App(Person(), backend, equipment)
      let factor = try app.factor(of: try await app.pendingSignIn(backend))
      _ = try await backend.answer(WithdrawMfa(idToken: app.tokens.idToken, mfaEnrollmentId: factor))
      let signIn = SignInWithPassword(email: app.person.email, password: app.person.password)
      let session = await outcome(of: signIn, by: backend)
      try expect((try? session.get())?.localId, isExactly: app.uid, "the account of a sign-in without a factor")
    },
    EquippedCheck(name: "a phone that is a factor gets a code for a sign-in, which is good once") {
      backend, equipment in
      let (ada, number) = (Person(), try await equipment.newPhoneNumber())
      let made = try await backend.signUp(ada)
      try await verify(ada, made.idToken, backend, equipment)
      let begun = try await backend.answer(StartMfaEnrollment(idToken: made.idToken, phoneNumber: number))
      guard let session = begun.phoneSessionInfo else {
        throw Violation(description: "the enrolment of a phone should begin with a text")
      }
      _ = try await backend.answer(
        FinalizeMfaEnrollment(
          idToken: made.idToken, displayName: nil,
          PhoneVerificationInfo(sessionInfo: session.sessionInfo, code: try await equipment.textCode(for: number))))
      let signIn = SignInWithPassword(email: ada.email, password: ada.password)
      func pendingSignIn() async throws -> PendingSignIn {
        let error = try await expectRefusal(
          of: signIn, by: backend, with: [.secondFactorRequired], "a sign-in without the phone")
        guard let pending = error.pendingSignIn, pending.factors.first?.factorID == "phone" else {
          throw Violation(description: "a sign-in should name the phone that it waits for")
        }
        return pending
      }
      let pending = try await pendingSignIn()
      let factor = pending.factors.first?.uid ?? ""
      let text = try await backend.answer(
        StartMfaSignIn(pending.credential, factor: factor))
      let code = try await equipment.textCode(for: number)
      func proof(_ code: Secret) -> PhoneVerificationInfo {
        PhoneVerificationInfo(sessionInfo: text.phoneResponseInfo.sessionInfo, code: code)
      }
      let wrong = FinalizeMfaSignIn(
        pending.credential, proof(Secret(code.revealed == "000000" ? "000001" : "000000")))
      try await expectRefusal(of: wrong, by: backend, with: [.invalidVerificationCode], "a code that no text had")
      let tokens = try await backend.answer(FinalizeMfaSignIn(pending.credential, proof(code)))
      try expect(
        try await backend.account(tokens.idToken).localId, isExactly: made.localId, "the account behind the phone")
      let again = FinalizeMfaSignIn(try await pendingSignIn().credential, proof(code))
      try await expectRefusal(of: again, by: backend, "the code of a text that was used")
    },
    EquippedCheck(name: "a recovery code stands for a factor once") { backend, equipment in
      let app = try await App(Person(), backend, equipment)
      let codes: [Secret]
      switch await outcome(of: MakeRecoveryCodes(idToken: app.tokens.idToken), by: backend) {
      case .success(let made): codes = made.recoveryCodes
      case .failure(let error):
        // This call is specific to Gatehouse; other backends must refuse it.
        return try expect(error.code == .operationNotAllowed, "recovery codes came to: \(error)")
      }
      try expect(Set(codes).count == codes.count && codes.count > 1, "recovery codes should differ")
      let call = FinalizeMfaSignIn(try await app.pendingSignIn(backend).credential, recoveryCode: codes[0])
      let account = try await backend.account(try await backend.answer(call).idToken)
      try expect(account.localId, isExactly: app.uid, "the account that a recovery code signs in to")
      let again = FinalizeMfaSignIn(try await app.pendingSignIn(backend).credential, recoveryCode: codes[0])
      try await expectRefusal(
        of: again, by: backend, with: [.invalidVerificationCode], "a recovery code that was used")
    },
  ]

  static func verify(
    _ person: Person, _ idToken: Secret, _ backend: any Backend, _ equipment: Equipment
  ) async throws {
    let code = try await send(.verifyEmail, to: person.email, of: idToken, backend, equipment)
    _ = try await backend.answer(Update(oobCode: code))
  }

  /// An authenticator app that is the second factor of a new account.
  struct App: Sendable {
    let person: Person
    let uid: String
    /// The refresh token from before the enrollment, of the session that enrolled the app.
    let before: Secret
    /// The tokens from the enrollment.
    let tokens: SecondFactorTokens
    private let secret: Secret

    init(_ person: Person, _ backend: any Backend, _ equipment: Equipment) async throws {
      let made = try await backend.signUp(person)
      try await verify(person, made.idToken, backend, equipment)
      guard let session = try await backend.answer(StartMfaEnrollment(idToken: made.idToken)).totpSessionInfo else {
        throw Violation(description: "the enrolment of an app should begin with a secret")
      }
      secret = session.sharedSecretKey
      let proof = TotpVerificationInfo(
        sessionInfo: session.sessionInfo, verificationCode: try Self.password(secret, 0, equipment))
      tokens = try await backend.answer(
        FinalizeMfaEnrollment(idToken: made.idToken, displayName: "tablet", proof))
      (self.person, uid, before) = (person, made.localId, made.refreshToken)
    }

    /// Returns the password that the app shows this many periods of 30 seconds from now.
    func password(_ later: Int64, _ equipment: Equipment) throws -> String {
      try Self.password(secret, later, equipment)
    }

    func wrongPassword(_ equipment: Equipment) throws -> String { try Self.wrongPassword(secret, equipment) }

    /// Returns a password that the app does not show around now.
    static func wrongPassword(_ secret: Secret, _ equipment: Equipment) throws -> String {
      let shown = try (-20...20).map { try password(secret, $0, equipment) }
      return (0...shown.count).lazy.map { String(100_000 + $0) }.first { !shown.contains($0) } ?? ""
    }

    private static func password(_ secret: Secret, _ later: Int64, _ equipment: Equipment) throws -> String {
      let bytes = try decoded(secret)
      let step = OneTimePassword.step(at: Int64(equipment.now()))
      return try OneTimePassword.password(SecretBytes(bytes), step: step + later)
    }

    /// Returns the bytes of base32 without padding (RFC 4648), the format of apps' secrets.
    private static func decoded(_ secret: Secret) throws -> [UInt8] {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
      let bits = try secret.revealed.utf8.flatMap { character in
        guard let value = alphabet.firstIndex(of: character) else {
          throw Violation(description: "the secret of an app should be base32 without padding")
        }
        return (0..<5).reversed().map { UInt8(value >> $0 & 1) }
      }
      return stride(from: 0, to: bits.count - bits.count % 8, by: 8).map {
        bits[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 }
      }
    }

    /// Signs in with the password, and returns the waiting sign-in.
    func pendingSignIn(_ backend: any Backend) async throws -> PendingSignIn {
      let call = SignInWithPassword(email: person.email, password: person.password)
      let error = try await expectRefusal(
        of: call, by: backend, with: [.secondFactorRequired], "a sign-in without the second factor")
      guard let pending = error.pendingSignIn else {
        throw Violation(description: "a sign-in that waits for a second factor should say what goes on with it")
      }
      return pending
    }

    func factor(of pending: PendingSignIn) throws -> String {
      guard let factor = pending.factors.first, pending.factors.count == 1, factor.factorID == "totp" else {
        throw Violation(description: "a sign-in should name the app that it waits for, and names \(pending.factors)")
      }
      return factor.uid
    }
  }
}
