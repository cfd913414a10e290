import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

/// `gate second-factors enroll`
struct SecondFactorsEnrollCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enroll", abstract: "Enroll an authenticator app or a phone, and show recovery codes once.",
    discussion: """
      Shows the app's secret, as a QR code where the terminal has room for it, and asks for the code that the app \
      shows then. With the account's first factor come ten recovery codes. The address must be verified: \
      gate verify-email does that.

      With --phone a text with a code goes to the phone instead: by the provider's delivery if its settings name one, \
      else as a file in the home's outbox, for whatever sends it.

      With --json the first line is {"secret", "address"}, or {"phoneNumber"}. The code is read from standard input, \
      and the second line is {"secondFactor", "recoveryCodes"}. A code that is wrong ends it.
      """)

  @Option(name: .customLong("name"), help: ArgumentHelp("What to call the factor in lists.", valueName: "name"))
  var displayName: String?
  @Option(help: ArgumentHelp("Enroll this phone: +12025550123.", valueName: "number")) var phone: String?
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if phone == "" { throw ValidationError("--phone is empty; leave it out for an app") }
    if let phone {
      do throws(AuthError) { _ = try PhoneNumber(phone) } catch {
        throw ValidationError("--phone is no phone number: write + and the country's code first, as in +12025550123")
      }
    }
    if displayName == "" { throw ValidationError("--name is empty; leave it out") }
    // This is checked before a code is used up.
    if let displayName, displayName.utf8.count > 256 { throw ValidationError("--name is longer than 256 bytes") }
    if answer.asJSON, password.fromStandardInput {
      throw ValidationError("with --json standard input is for the code; give the password with --password-file")
    }
  }

  func run() async throws {
    let home = try home.home()
    let (account, email, isFirst) = try await home.accountToEnroll()
    let password = try password.password(of: email, for: ", to enroll a second factor")
    try await home.signInAgain(account, password: password, secondFactor)
    let begun = try await home.withSession { auth throws(AuthError) -> BegunEnrollment in
      let session = try await typed { try await auth.user(of: account).multiFactor.session() }
      guard let phone else {
        return .app(try await typed { try await TOTPMultiFactorGenerator.generateSecret(with: session) })
      }
      return .phone(
        text: try await typed {
          try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber(phone, multiFactorSession: session)
        })
    }
    switch begun {
    case .app(let secret): try show(secret)
    case .phone where answer.asJSON: try answer.write("", json: ["phoneNumber": .string(phone ?? "")])
    case .phone: try await home.tellOfText()
    }
    let factor = try await enroll(begun, of: account, in: home)
    let codes = isFirst ? try await recoveryCodes(of: account, in: home) : nil
    var json: JSONObject = ["secondFactor": .object(factor.json)]
    json["recoveryCodes"] = codes.map { .array($0.map(JSONValue.string)) }
    try answer.write("enrolled: \(factor.name)\(codes.map { "\n\n\($0.recoveryText)" } ?? "")", json: json)
  }

  private func show(_ secret: TOTPSecret) throws(AuthError) {
    let (key, address) = (secret.sharedSecretKey(), secret.generateQRCodeURL(issuer: LocalOptions().appName))
    guard !answer.asJSON else {
      return try answer.write("", json: ["secret": .string(key), "address": .string(address)])
    }
    if let code = QRCode(address)?.textForStandardOutput {
      // The code is printed last: on a small terminal the lines above it scroll away.
      try StandardOutput.write(line: "Scan this with the authenticator app, or type its secret:\n\(key.inGroups)")
      try StandardOutput.write(line: code)
    } else {
      try StandardOutput.write(line: "Secret for the authenticator app:\n\(key.inGroups)\nIts address:\n\(address)")
    }
  }

  /// Asks for the first code. If the code is wrong, the enrollment can still be completed with another one.
  private func enroll(
    _ begun: BegunEnrollment, of account: SignedInAccount, in home: Home
  ) async throws(AuthError) -> MultiFactorInfo {
    let terminal = answer.asJSON ? nil : Terminal()
    guard let terminal else { return try await enroll(begun, with: try Input.codeLine(), of: account, in: home) }
    let (question, advice) =
      phone == nil
      ? ("Code that the app shows: ", "that is not the app's code; is this machine's clock right, and the app's?")
      : ("Code of the text: ", "that is not the code of the text")
    return try await terminal.askForCode(
      question, orGiveBy: "--json, and standard input", ifWrong: advice
    ) { code throws(AuthError) in try await enroll(begun, with: code, of: account, in: home) }
  }

  private func enroll(
    _ begun: BegunEnrollment, with code: String, of account: SignedInAccount, in home: Home
  ) async throws(AuthError) -> MultiFactorInfo {
    try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      let before = user.multiFactor.enrolledFactors.map(\.uid).exactly
      let assertion = begun.assertion(code.filter { $0 != " " }, auth)
      try await typed { try await user.multiFactor.enroll(with: assertion, displayName: displayName) }
      let new = user.multiFactor.enrolledFactors.first { !before.contains($0.uid) }
      guard let new else {
        throw AuthError(.internalError, "the factor is enrolled, and the provider does not list it")
      }
      return new
    }
  }

  /// Returns new recovery codes; `nil` if the server has none to give, as is the case with Google's.
  private func recoveryCodes(of account: SignedInAccount, in home: Home) async throws(AuthError) -> [String]? {
    do throws(AuthError) {
      return try await home.withSession { auth throws(AuthError) in
        try await typed { try await auth.user(of: account).multiFactor.generateRecoveryCodes() }
      }
    } catch {
      if home.server != nil, error.code == .operationNotAllowed { return nil }
      throw AuthError(
        error.code,
        "the factor is enrolled, but recovery codes could not be made: \(error.message); "
          + "run: gate second-factors recovery-codes")
    }
  }
}

/// An enrollment that is completed by its first code.
private enum BegunEnrollment: Sendable {
  case app(TOTPSecret)
  /// `text` identifies the text message that was sent.
  case phone(text: String)

  func assertion(_ code: String, _ auth: Auth) -> MultiFactorAssertion {
    switch self {
    case .app(let secret): TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
    case .phone(let text):
      PhoneMultiFactorGenerator.assertion(
        with: PhoneAuthProvider.provider(auth: auth).credential(withVerificationID: text, verificationCode: code))
    }
  }
}

extension QRCode {
  /// The QR code for standard output. `nil` unless standard output is a terminal that can show the code and has enough
  /// room for it.
  fileprivate var textForStandardOutput: String? {
    guard let size = InheritedDescriptor.output.size, GivenText.variable("TERM") != "dumb" else { return nil }
    return text(columns: size.columns, rows: size.rows)
  }
}

extension String {
  /// The secret in groups of four letters, which are easier to copy by eye. Apps accept the spaces.
  fileprivate var inGroups: String {
    var groups = ""
    for (index, letter) in enumerated() { groups += index > 0 && index % 4 == 0 ? " \(letter)" : "\(letter)" }
    return groups
  }
}
