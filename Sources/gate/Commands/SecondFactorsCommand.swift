import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate second-factors`
struct SecondFactorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "second-factors", abstract: "Enroll and remove the signed-in user's authenticator apps and phones.",
    discussion: """
      An account with a second factor wants its code at every sign-in: gate asks for it, or takes it from \
      --second-factor. A recovery code does instead, once. Whatever changes the factors asks for the password, and \
      ends the account's other sessions: their programs must sign in again.
      """,
    subcommands: [
      SecondFactorsEnrollCommand.self, SecondFactorsListCommand.self, SecondFactorsRemoveCommand.self,
      SecondFactorsRecoveryCodesCommand.self,
    ])
}

/// `gate second-factors list`
struct SecondFactorsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the signed-in user's second factors.")

  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let factors = try await home.home().secondFactors().factors
    let now = SystemClocks().wall
    try answer.write(
      factors.isEmpty ? "the account has no second factor" : factors.map { $0.line(at: now) }.table,
      json: ["secondFactors": .array(factors.map { .object($0.json) })])
  }
}

/// `gate second-factors remove NAME`
struct SecondFactorsRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a second factor of the signed-in user.",
    discussion: "The recovery codes go with the last factor.")

  @Argument(help: ArgumentHelp("The factor's identifier, or its name.", valueName: "name")) var name: String
  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if name.isEmpty { throw ValidationError("the factor's name is empty") }
  }

  func run() async throws {
    let home = try home.home()
    let (account, factors) = try await home.secondFactors()
    let factor = try factors.named(name)
    let password = try password.password(
      of: account.email ?? account.line, for: ", to remove a second factor")
    try await home.signInAgain(account, password: password, secondFactor)
    try await home.withSession { auth throws(AuthError) in
      try await typed { try await auth.user(of: account).multiFactor.unenroll(with: factor) }
    }
    try answer.write("removed: \(factor.name)", json: ["removed": .bool(true), "id": .string(factor.uid)])
  }
}

/// `gate second-factors recovery-codes`
struct SecondFactorsRecoveryCodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-codes", abstract: "Make new recovery codes, and show them once.",
    discussion: "The codes made before are not good any more.")

  @OptionGroup var password: PasswordOptions
  @OptionGroup var secondFactor: SecondFactorOptions
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func run() async throws {
    let home = try home.home()
    let (account, factors) = try await home.secondFactors()
    guard !factors.isEmpty else {
      throw AuthError(
        .multiFactorInfoNotFound, "the account has no second factor; run: gate second-factors enroll")
    }
    let password = try password.password(
      of: account.email ?? account.line, for: ", to make recovery codes")
    try await home.signInAgain(account, password: password, secondFactor)
    let codes = try await home.withSession { auth throws(AuthError) in
      try await typed { try await auth.user(of: account).multiFactor.generateRecoveryCodes() }
    }
    try answer.write(codes.recoveryText, json: ["recoveryCodes": .array(codes.map(JSONValue.string))])
  }
}
