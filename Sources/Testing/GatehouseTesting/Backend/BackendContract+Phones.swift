import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend with sign-in by phone. They need `Equipment.textCode`.
  public static let phones: [EquippedCheck] = [
    EquippedCheck(name: "a text signs in to the account of its number, once") { backend, equipment in
      let number = try await equipment.newPhoneNumber()
      let first = try await proof(of: number, backend, equipment)
      let made = try await backend.answer(SignInWithPhoneNumber(first, .signUpOrIn))
      try expect(made.isNewUser == true, "a sign-in by phone that made an account should say so")
      guard let idToken = made.idToken else { throw Violation(description: "a sign-in by phone brought no ID token") }
      let account = try await backend.account(idToken)
      try expect(account.localId, isExactly: made.localId, "the account of a sign-in by phone")
      try expect(account.phoneNumber, isExactly: number, "the number of that account")
      let second = try await proof(of: number, backend, equipment)
      let session = try await backend.answer(SignInWithPhoneNumber(second, .signUpOrIn))
      try expect(session.localId, isExactly: made.localId, "the account of the second sign-in by phone")
      try expect(session.isNewUser != true, "the second sign-in by phone is told to have made an account")
      for spent in [first, second] {
        let call = SignInWithPhoneNumber(spent, .signUpOrIn)
        try await expectRefusal(of: call, by: backend, with: spentText, "the code of a text that was used")
      }
    },
    EquippedCheck(name: "a wrong code of a text is refused") { backend, equipment in
      let number = try await equipment.newPhoneNumber()
      guard case .code(let code, let sessionInfo) = try await proof(of: number, backend, equipment) else { return }
      let wrong = Secret(code.revealed == "000000" ? "000001" : "000000")
      let call = SignInWithPhoneNumber(.code(wrong, sessionInfo: sessionInfo), .signUpOrIn)
      try await expectRefusal(of: call, by: backend, with: [.invalidVerificationCode], "a wrong code of a text")
    },
    EquippedCheck(name: "a number is one account's") { backend, equipment in
      let (ada, grace) = (try await backend.signUp(Person()), try await backend.signUp(Person()))
      let number = try await equipment.newPhoneNumber()
      let linked = try await backend.answer(
        SignInWithPhoneNumber(try await proof(of: number, backend, equipment), .link, of: ada.idToken))
      let account = try await backend.account(linked.idToken ?? ada.idToken)
      try expect(account.localId, isExactly: ada.localId, "the account that a number was given to")
      try expect(account.phoneNumber, isExactly: number, "the number that was given to an account")
      let call = SignInWithPhoneNumber(try await proof(of: number, backend, equipment), .link, of: grace.idToken)
      switch await outcome(of: call, by: backend) {
      case .success(let answer):
        // The answer contains a proof with which the user can sign in to the account that has the number.
        try expect(
          answer.idToken == nil && answer.temporaryProof != nil, "a number was given to a second account: \(answer)")
      case .failure(let error):
        try expect(
          error.code == .credentialAlreadyInUse,
          "a number that another account has was refused so: \(error)")
      }
      let session = try await backend.answer(
        SignInWithPhoneNumber(try await proof(of: number, backend, equipment), .signUpOrIn))
      try expect(session.localId, isExactly: ada.localId, "the account that has the number")
    },
  ]

  /// The codes that may refuse an invalid code of a text.
  private static let spentText: [AuthError.Code] = [.invalidVerificationID, .invalidVerificationCode, .sessionExpired]

  /// Sends a text, and returns the proof of having received it.
  private static func proof(
    of number: String, _ backend: any Backend, _ equipment: Equipment
  ) async throws -> PhoneProof {
    let sent = try await backend.answer(SendVerificationCode(phoneNumber: number))
    return .code(try await equipment.textCode(for: number), sessionInfo: sent.sessionInfo)
  }
}
