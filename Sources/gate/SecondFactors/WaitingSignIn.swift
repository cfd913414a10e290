import Gatehouse
import GatehouseBase
import GatehouseSystem

/// A sign-in whose password was right, and which waits for a second factor.
struct WaitingSignIn: Sendable {
  private let home: Home
  /// What the provider answered: the sign-in goes on with it.
  private let answer: AuthError
  /// Whether the account has an authenticator app. Otherwise it has a phone.
  private let hasApp: Bool

  /// `nil` for any other error.
  init?(_ error: AuthError, in home: Home) {
    guard let factors = error.pendingSignIn?.factors else { return nil }
    (self.home, answer) = (home, error)
    hasApp = factors.contains { $0.factorID == TOTPMultiFactorGenerator.factorID }
  }

  /// Ends the sign-in. A code that is wrong leaves it waiting.
  ///
  /// - Parameter text: names the text to a phone that the code may have come with.
  func finish(with code: String, of text: String? = nil) async throws(AuthError) -> User {
    try await home.withSession { auth throws(AuthError) in
      try await auth.readyForSignIn()
      return try await resolver(auth).resolve(code, of: text)
    }
  }

  /// Asks a person for the code on the terminal, and ends the sign-in.
  func finishAsking() async throws(AuthError) -> User {
    guard let terminal = Terminal() else {
      throw AuthError(
        .secondFactorRequired,
        "the account has a second factor, and there is no terminal to ask for its code; give it with --second-factor")
    }
    let text = hasApp ? nil : try await sendText()
    let question = hasApp ? "Code of the app, or a recovery code: " : "Code of the text, or a recovery code: "
    for _ in 1..<Home.tries {
      let code = try terminal.askForCode(question, orGiveBy: "--second-factor")
      do throws(AuthError) { return try await finish(with: code, of: text) } catch {
        guard error.code == .invalidVerificationCode else { throw error }
        StandardError.say("that code is not good: it is wrong, was used before, or its time is over")
      }
    }
    return try await finish(with: try terminal.askForCode(question, orGiveBy: "--second-factor"), of: text)
  }

  /// Sends a code to the account's phone.
  ///
  /// - Returns: what names the text.
  private func sendText() async throws(AuthError) -> String? {
    try await home.withSession { auth throws(AuthError) in
      let resolver = try resolver(auth)
      guard let phone = resolver.hints.first(where: { $0.factorID == PhoneMultiFactorGenerator.factorID }) else {
        return nil
      }
      let text = try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber(
        with: phone, multiFactorSession: resolver.session)
      StandardError.say("the text to \(phone.name) is in \(home.outbox)")
      return text
    }
  }

  private func resolver(_ auth: Auth) throws(AuthError) -> MultiFactorResolver {
    guard let resolver = auth.multiFactorResolver(for: answer) else { throw answer }
    return resolver
  }
}

extension MultiFactorResolver {
  /// Six digits are the code of a text, or of an app: each of the account's apps may be the one. Anything else is a
  /// recovery code.
  fileprivate func resolve(_ code: String, of text: String?) async throws(AuthError) -> User {
    let digits = code.filter { $0 != " " }
    guard digits.count == 6, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return try await resolveSignIn(with: .recoveryCode(code)).user
    }
    if let text {
      let credential = PhoneAuthProvider.provider(auth: auth).credential(
        withVerificationID: text, verificationCode: digits)
      return try await resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential)).user
    }
    var refusal = AuthError(.invalidVerificationCode, "the account has no authenticator app; give a recovery code")
    for app in hints where app.factorID == TOTPMultiFactorGenerator.factorID {
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: app.uid, oneTimePassword: digits)
      do throws(AuthError) { return try await resolveSignIn(with: assertion).user } catch {
        guard error.code == .invalidVerificationCode else { throw error }
        refusal = error
      }
    }
    throw refusal
  }
}
