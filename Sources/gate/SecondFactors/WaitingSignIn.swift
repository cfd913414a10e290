import Gatehouse
import GatehouseBase
import GatehouseSystem

/// A sign-in with the right password that still needs a second factor.
struct WaitingSignIn: Sendable {
  private let home: Home
  /// The provider's answer, with which the sign-in is continued.
  private let answer: AuthError
  /// The account's authenticator apps. An account without one has a phone.
  private let apps: [MultiFactorInfo]

  /// The tenant of the account; `nil` for the project itself.
  private let tenantID: String?

  /// `nil` for any other error.
  init?(_ error: AuthError, in home: Home, tenantID: String?) {
    guard let factors = error.pendingSignIn?.factors else { return nil }
    (self.home, answer, self.tenantID) = (home, error, tenantID)
    apps = factors.filter { $0.factorID == TOTPMultiFactorGenerator.factorID }.map(MultiFactorInfo.init)
  }

  /// Completes the sign-in with the code of an app, or with a recovery code. After a wrong code another one can be
  /// tried.
  ///
  /// - Parameter name: the name of the app; it is required if the account has several.
  func finish(with code: String, ofApp name: String?) async throws(AuthError) -> User {
    let app = try app(named: name)
    if app == nil, apps.count > 1, code.isAppCode {
      throw AuthError(
        .secondFactorRequired,
        "the account has \(apps.count) apps; name the one that shows the code with --app: \(names)")
    }
    return try await finish(with: code, .app(app ?? apps.first))
  }

  /// Asks a person for the code on the terminal, and completes the sign-in.
  func finishAsking(ofApp name: String?) async throws(AuthError) -> User {
    guard let terminal = Terminal() else {
      throw AuthError(
        .secondFactorRequired,
        "the account has a second factor, and there is no terminal to ask for its code; give it with --second-factor")
    }
    let app = try app(named: name)
    let text = apps.isEmpty ? try await sendText() : nil
    if text != nil { try await home.tellOfText() }
    let question = apps.isEmpty ? "Code of the text, or a recovery code: " : "Code of the app, or a recovery code: "
    return try await terminal.askForCode(
      question, orGiveBy: "--second-factor",
      ifWrong: "that code is not good: it is wrong, was used before, or its time is over"
    ) { code throws(AuthError) in
      if let text { return try await finish(with: code, .text(text)) }
      let isOfSeveral = app == nil && apps.count > 1 && code.isAppCode
      return try await finish(with: code, .app(isOfSeveral ? try askForApp(on: terminal) : app ?? apps.first))
    }
  }

  /// Asks which app shows the code. A code is never tried with all apps, because the provider counts each try.
  private func askForApp(on terminal: borrowing Terminal) throws(AuthError) -> MultiFactorInfo {
    let list = apps.enumerated().map { "  \($0 + 1)  \($1.name)\n" }.joined()
    while true {
      let typed = try terminal.askForCode("\(list)App that shows it, 1 to \(apps.count): ", orGiveBy: "--app")
      if let number = Int(typed), (1...apps.count).contains(number) { return apps[number - 1] }
      StandardError.say("no app has that number; type one from 1 to \(apps.count)")
    }
  }

  private func app(named name: String?) throws(AuthError) -> MultiFactorInfo? {
    guard let name else { return nil }
    if let app = apps.only(named: name) { return app }
    throw AuthError(
      .multiFactorInfoNotFound,
      apps.isEmpty
        ? "the account has no authenticator app; leave --app out"
        : "no one app of the account is called \(name.shown); it has: \(names)")
  }

  private var names: String { apps.map(\.name).joined(separator: ", ") }

  private func finish(with code: String, _ source: CodeSource) async throws(AuthError) -> User {
    try await home.withSession { auth throws(AuthError) in
      try await auth.readyForSignIn()
      auth.tenantID = tenantID
      return try await resolver(auth).resolve(code, source)
    }
  }

  /// Sends a code to the account's phone.
  ///
  /// - Returns: what identifies the text message.
  private func sendText() async throws(AuthError) -> String? {
    try await home.withSession { auth throws(AuthError) in
      auth.tenantID = tenantID
      let resolver = try resolver(auth)
      guard let phone = resolver.hints.first(where: { $0.factorID == PhoneMultiFactorGenerator.factorID }) else {
        return nil
      }
      let text = try await typed {
        try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber(
          with: phone, multiFactorSession: resolver.session)
      }
      StandardError.say(
        home.server.map { "asked \($0.name) to send the text to \(phone.name)" }
          ?? "the text to \(phone.name) is in \(home.outbox)")
      return text
    }
  }

  private func resolver(_ auth: Auth) throws(AuthError) -> MultiFactorResolver {
    guard let resolver = auth.multiFactorResolver(for: answer) else { throw answer }
    return resolver
  }
}

/// Where a person reads a code of six digits.
private enum CodeSource: Sendable {
  /// `nil` if the account has no app.
  case app(MultiFactorInfo?)
  /// The text message with this identifier.
  case text(String)
}

extension String {
  /// Whether this is the code of an app or of a text message, which has six digits. Anything else is a recovery code.
  fileprivate var isAppCode: Bool {
    let digits = filter { $0 != " " }
    return digits.count == 6 && digits.allSatisfy { $0.isASCII && $0.isNumber }
  }
}

extension MultiFactorResolver {
  fileprivate func resolve(_ code: String, _ source: CodeSource) async throws(AuthError) -> User {
    guard code.isAppCode else { return try await typed { try await resolveSignIn(with: .recoveryCode(code)).user } }
    let digits = code.filter { $0 != " " }
    switch source {
    case .text(let text):
      let credential = PhoneAuthProvider.provider(auth: auth).credential(
        withVerificationID: text, verificationCode: digits)
      return try await typed {
        try await resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential)).user
      }
    case .app(let app?):
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: app.uid, oneTimePassword: digits)
      return try await typed { try await resolveSignIn(with: assertion).user }
    case .app(nil):
      throw AuthError(.invalidVerificationCode, "the account has no authenticator app; give a recovery code")
    }
  }
}
