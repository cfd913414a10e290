import ArgumentParser
import Gatehouse
import GatehouseBase
import GatehouseSystem

/// `gate apply-code`
struct ApplyCodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply-code", abstract: "Do what the link of a message is for.",
    discussion: """
      Sets a new password, verifies an address, changes it, gives the former one back, or removes a second factor \
      that another person has added. The link, or the code in it, is asked for, and so is a new password. No user \
      needs to be signed in.
      """)

  @Flag(
    name: .customLong("code-stdin"),
    help: "Read the link or code from standard input, and a new password from its second line.")
  var fromStandardInput = false

  @Option(
    name: .customLong("new-password-file"), help: ArgumentHelp("Read a new password from a file.", valueName: "file"),
    completion: .file(), transform: fileName)
  var passwordFile: String?

  @OptionGroup var tenant: TenantOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.homeForSignIn()
    try home.requireProvider()
    let (link, given) = try link()
    let (code, tenantID) = (link.code, tenant.id ?? link.tenantID)
    let info = try await home.withSession { auth throws(AuthError) in
      auth.tenantID = tenantID
      return try await typed { try await auth.checkActionCode(code.revealed) }
    }
    switch info.operation {
    case .passwordReset:
      let password: Secret
      if let given {
        password = given
      } else {
        let rules = await home.newPasswordRules(tenantID: tenantID)
        password = try typedPassword(of: info.email, rules.require)
      }
      try await home.withSession { auth throws(AuthError) in
        auth.tenantID = tenantID
        try await typed { try await auth.confirmPasswordReset(withCode: code.revealed, newPassword: password.revealed) }
      }
    case .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition:
      try await home.withSession { auth throws(AuthError) in
        auth.tenantID = tenantID
        try await typed { try await auth.applyActionCode(code.revealed) }
        await auth.learnOfAddress(info.email)
      }
    case .emailLink:
      throw AuthError(
        .operationNotAllowed, "the link is for a sign-in; run: gate sign-in EMAIL --email-link")
    case .unknown:
      throw AuthError(.operationNotAllowed, "gate does not know what the code is for; use a newer version")
    }
    try answer.write(info.line, json: info.json)
  }

  /// Reads the link or code, and with it the new password unless a person types that.
  private func link() throws -> (link: GivenLink, password: Secret?) {
    let limit = PasswordOptions.limit
    let password = try passwordFile.map { file throws(AuthError) in try Input.file(file).secret(limit: limit) }
    guard fromStandardInput else {
      guard let terminal = Terminal() else {
        throw ValidationError("there is no terminal to ask for a code; use --code-stdin")
      }
      let typed = try terminal.askSecretly(
        "Link of the message, or its code: ", for: "link or code", orGiveBy: "--code-stdin")
      return (GivenLink(typed), password)
    }
    let lines = try Input.standard.lines(limit: 2 * limit)
    guard let first = lines.first, !first.isEmpty, lines.count <= (password == nil ? 2 : 1) else {
      throw AuthError(
        .invalidArgument,
        "standard input must have a line with the link or code; a second one, with a new password, may follow where "
          + "--new-password-file is not given")
    }
    guard lines.last != "" else { throw AuthError(.missingPassword, "the second line of standard input is empty") }
    return (GivenLink(Secret(first)), password ?? (lines.count > 1 ? Secret(lines[1]) : nil))
  }

  private func typedPassword(of email: String, _ check: NewPasswordCheck) throws -> Secret {
    guard !fromStandardInput, let terminal = Terminal() else {
      throw AuthError(
        .missingPassword,
        "the code sets a new password; give that on a second line of standard input, or with --new-password-file")
    }
    return try terminal.askSecretlyTwice("New password of \(email.printable): ", check)
  }
}

extension Auth {
  /// Refreshes the profile of a user who is signed in here, so that it shows the verified address. If this fails, the
  /// next refresh does it.
  fileprivate func learnOfAddress(_ email: String) async {
    guard (try? await ready()) != nil, let user = currentUser, user.email?.isExactly(email) == true else { return }
    try? await user.reload()
  }
}

extension ActionCodeInfo {
  /// The text of what has happened, for people to read.
  fileprivate var line: String {
    switch operation {
    case .passwordReset:
      "set a new password for \(email.shown), and ended its sessions; run: gate sign-in \(email.shown)"
    case .verifyAndChangeEmail:
      "changed the address \(previousEmail?.shown ?? "") to \(email.shown), and ended its sessions"
    case .recoverEmail: "gave the account its address \((previousEmail ?? email).shown) back, and ended its sessions"
    case .revertSecondFactorAddition:
      "removed the second factor that was added to the account of \(email.shown), and ended its sessions"
    default: "verified \(email.shown)"
    }
  }

  /// For programs; unknown values are omitted.
  fileprivate var json: JSONObject {
    var json: JSONObject = ["operation": .string("\(operation)"), "email": .string(email)]
    json["previousEmail"] = previousEmail.map(JSONValue.string)
    return json
  }
}
