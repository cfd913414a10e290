import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend that sends messages. They need `Equipment.code`.
  public static let messages: [EquippedCheck] = [
    EquippedCheck(name: "a message resets a password once, and ends the sessions before it") { backend, equipment in
      let ada = Person()
      let made = try await backend.signUp(ada)
      let code = try await send(.passwordReset, to: ada.email, backend, equipment)
      let checked = try await backend.answer(ResetPassword(oobCode: code))
      try expect(checked.requestType == .passwordReset, "a code should say what it is for; it says \(checked)")
      try expect(checked.email, isExactly: ada.email, "the address of a code that was checked")
      let new = somethingSecret()
      _ = try await backend.answer(ResetPassword(oobCode: code, newPassword: new))
      let old = SignInWithPassword(email: ada.email, password: ada.password)
      try await expectRefusal(of: old, by: backend, with: wrongPassword, "the password before a reset")
      let refresh = ExchangeRefreshToken(refreshToken: made.refreshToken)
      try await expectRefusal(of: refresh, by: backend, with: endedSession, "a session from before a reset")
      let session = try await backend.answer(SignInWithPassword(email: ada.email, password: new))
      try expect(session.localId, isExactly: made.localId, "the account after a reset")
      let again = ResetPassword(oobCode: code, newPassword: somethingSecret())
      try await expectRefusal(of: again, by: backend, with: spentCode, "a code that has reset a password")
    },
    EquippedCheck(name: "a message verifies an address, once its code is used") { backend, equipment in
      let ada = Person()
      let made = try await backend.signUp(ada)
      let code = try await send(.verifyEmail, to: ada.email, of: made.idToken, backend, equipment)
      try expect(try await backend.account(made.idToken).emailVerified != true, "an address is verified too early")
      _ = try await backend.answer(Update(oobCode: code))
      let account = try await backend.account(made.idToken)
      try expect(account.localId, isExactly: made.localId, "the account whose address was verified")
      try expect(account.emailVerified == true, "an address should be verified by the code that was sent to it")
      try await expectRefusal(of: Update(oobCode: code), by: backend, with: spentCode, "a code that was applied")
    },
    EquippedCheck(name: "a message changes an address, once its code is used") { backend, equipment in
      let (ada, new) = (Person(), Person())
      let made = try await backend.signUp(ada)
      let code = try await send(.verifyAndChangeEmail, to: new.email, of: made.idToken, backend, equipment)
      try expect(try await backend.account(made.idToken).email, isExactly: ada.email, "an address before its change")
      _ = try await backend.answer(Update(oobCode: code))
      let session = await outcome(of: SignInWithPassword(email: new.email, password: ada.password), by: backend)
      try expect((try? session.get())?.localId, isExactly: made.localId, "the account that has the new address")
      let old = SignInWithPassword(email: ada.email, password: ada.password)
      try await expectRefusal(of: old, by: backend, with: unknownAddress, "a sign-in with the former address")
      let refresh = ExchangeRefreshToken(refreshToken: made.refreshToken)
      try await expectRefusal(of: refresh, by: backend, with: endedSession, "a session from before the change")
    },
    EquippedCheck(name: "a link signs in whom it was sent to, and once") { backend, equipment in
      let (ada, grace) = (Person(), Person())
      let made = try await backend.signUp(ada)
      _ = try await backend.signUp(grace)
      let code = try await send(.emailSignIn, to: ada.email, backend, equipment)
      let another = SignInWithEmailLink(email: grace.email, oobCode: code)
      try await expectRefusal(of: another, by: backend, "a link that was sent to another address")
      let call = SignInWithEmailLink(email: ada.email, oobCode: code)
      let session = await outcome(of: call, by: backend)
      try expect((try? session.get())?.localId, isExactly: made.localId, "the account that a link signs in to")
      try await expectRefusal(of: call, by: backend, with: spentCode, "a link that has signed in")
      let newcomer = Person()
      let first = try await send(.emailSignIn, to: newcomer.email, backend, equipment)
      let new = try await backend.answer(SignInWithEmailLink(email: newcomer.email, oobCode: first))
      try expect(new.isNewUser == true, "a sign-in by link that made an account should say so")
      try expect(try await backend.account(new.idToken).emailVerified == true, "an address that a link reached")
    },
    EquippedCheck(name: "an account gets a password for the address that it has already") { backend, equipment in
      let ada = Person()
      let code = try await send(.emailSignIn, to: ada.email, backend, equipment)
      let made = try await backend.answer(SignInWithEmailLink(email: ada.email, oobCode: code))
      let call = SignUp(email: ada.email, password: ada.password, linkingTo: made.idToken)
      let linked = await outcome(of: call, by: backend)
      guard case .success(let session) = linked else {
        throw Violation(description: "an account should get a password for its own address, and got: \(linked)")
      }
      try expect(session.localId, isExactly: made.localId, "the account that got a password")
      let account = try await backend.account(session.idToken)
      try expect(account.emailVerified == true, "the address of that account should stay verified")
      try expect(try await backend.signIn(ada).localId, isExactly: made.localId, "the account of that password")
    },
    EquippedCheck(name: "a message to an unknown address is refused only where sign-ins tell it too") { backend, _ in
      let (ada, stranger) = (Person(), Person())
      _ = try await backend.signUp(ada)
      var known = SendOobCode(.passwordReset)
      known.email = ada.email
      _ = try await backend.answer(known)
      var unknown = SendOobCode(.passwordReset)
      unknown.email = stranger.email
      guard case .failure(let error) = await outcome(of: unknown, by: backend) else { return }
      try expect(error.code == .userNotFound, "a message to an unknown address was refused so: \(error)")
      try expect(
        try await tellsWhoIsThere(backend),
        "a caller should not learn from a message what a sign-in does not tell: \(error)")
    },
  ]

  /// The codes that may refuse an invalid code of a message.
  static let spentCode: [AuthError.Code] = [.invalidActionCode, .expiredActionCode]

  /// Sends a message, and returns its code.
  static func send(
    _ type: ActionCodeType, to email: String, of idToken: Secret? = nil, _ backend: any Backend, _ equipment: Equipment
  ) async throws -> Secret {
    var call = SendOobCode(type)
    call.idToken = idToken
    switch type {
    case .verifyAndChangeEmail: call.newEmail = email
    case .emailSignIn:
      call.email = email
      call.continueUrl = "http://localhost/app"
      call.canHandleCodeInApp = true
    case .passwordReset: call.email = email
    default: break
    }
    _ = try await backend.answer(call)
    return try await equipment.code(for: email)
  }

  /// Whether a refused sign-in distinguishes an unknown address from a wrong password.
  static func tellsWhoIsThere(_ backend: any Backend) async throws -> Bool {
    let stranger = Person()
    let call = SignInWithPassword(email: stranger.email, password: stranger.password)
    return try await expectRefusal(of: call, by: backend, with: unknownAddress, "an unknown address").code
      == .userNotFound
  }
}
