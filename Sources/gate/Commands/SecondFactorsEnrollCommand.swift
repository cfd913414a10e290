import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

/// `gate second-factors enroll`
struct SecondFactorsEnrollCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enroll", abstract: "Enroll an authenticator app, and show recovery codes once.",
    discussion: """
      Shows the app's secret, as a QR code where the terminal has room for it, and asks for the code that the app \
      shows then. With the account's first factor come ten recovery codes. The address must be verified: \
      gate verify-email does that.

      With --json the first line is {"secret", "address"}. The code is read from standard input, and the second line \
      is {"secondFactor", "recoveryCodes"}. A code that is wrong ends it.
      """)

  @Option(name: .customLong("name"), help: ArgumentHelp("What to call the app in lists.", valueName: "name"))
  var displayName: String?
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if displayName == "" { throw ValidationError("--name is empty; leave it out") }
    // Said before a code is used up for it.
    if let displayName, displayName.utf8.count > 256 { throw ValidationError("--name is longer than 256 bytes") }
    if answer.asJSON, password.fromStandardInput {
      throw ValidationError("with --json standard input is for the code; give the password with --password-file")
    }
  }

  func run() async throws {
    let home = try home.home()
    let (account, email, isFirst) = try await home.accountToEnroll()
    let password = try password.password(of: email, isNew: false, for: ", to enroll a second factor")
    try await home.signInAgain(account, password: password, secondFactor)
    let secret = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      return try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
    }
    try show(secret)
    let factor = try await enroll(secret, of: account, in: home)
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
      // The code last: where the terminal is small, the lines above it scroll away.
      try StandardOutput.write(line: "Scan this with the authenticator app, or type its secret:\n\(key.inGroups)")
      try StandardOutput.write(line: code)
    } else {
      try StandardOutput.write(line: "Secret for the authenticator app:\n\(key.inGroups)\nIts address:\n\(address)")
    }
  }

  /// Asks for the app's code. A code that is wrong leaves the enrollment waiting.
  private func enroll(
    _ secret: TOTPSecret, of account: SignedInAccount, in home: Home
  ) async throws(AuthError) -> MultiFactorInfo {
    let terminal = answer.asJSON ? nil : Terminal()
    guard let terminal else { return try await enroll(secret, with: try Input.codeLine(), of: account, in: home) }
    return try await terminal.askForCode(
      "Code that the app shows: ", orGiveBy: "--json, and standard input",
      ifWrong: "that is not the app's code; is this machine's clock right, and the app's?"
    ) { code throws(AuthError) in try await enroll(secret, with: code, of: account, in: home) }
  }

  private func enroll(
    _ secret: TOTPSecret, with code: String, of account: SignedInAccount, in home: Home
  ) async throws(AuthError) -> MultiFactorInfo {
    try await home.withSession { auth throws(AuthError) in
      let user = try await auth.user(of: account)
      let before = Set(user.multiFactor.enrolledFactors.map(\.uid))
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: code.filter { $0 != " " })
      try await user.multiFactor.enroll(with: assertion, displayName: displayName)
      let new = user.multiFactor.enrolledFactors.first { !before.contains($0.uid) }
      guard let new else { throw AuthError(.internalError, "the app is enrolled, and the provider does not list it") }
      return new
    }
  }

  private func recoveryCodes(of account: SignedInAccount, in home: Home) async throws(AuthError) -> [String] {
    do throws(AuthError) {
      return try await home.withSession { auth throws(AuthError) in
        try await auth.user(of: account).multiFactor.generateRecoveryCodes()
      }
    } catch {
      throw AuthError(
        error.code,
        "the app is enrolled, but recovery codes could not be made: \(error.message); "
          + "run: gate second-factors recovery-codes")
    }
  }
}

extension QRCode {
  /// The code for standard output; `nil` unless that is a terminal that shows it as it is, with room for it.
  fileprivate var textForStandardOutput: String? {
    guard let size = InheritedDescriptor.output.size, GivenText.variable("TERM") != "dumb" else { return nil }
    return text(columns: size.columns, rows: size.rows)
  }
}

extension String {
  /// Groups of four letters, for eyes that copy them. Apps take the spaces.
  fileprivate var inGroups: String {
    var groups = ""
    for (index, letter) in enumerated() { groups += index > 0 && index % 4 == 0 ? " \(letter)" : "\(letter)" }
    return groups
  }
}
