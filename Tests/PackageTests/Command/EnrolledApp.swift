import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseLocal
import Testing

/// An authenticator app that is Ada's second factor, enrolled through the built command.
struct EnrolledApp: Sendable {
  let secret: String
  let id: String
  let recoveryCodes: [String]

  /// What the app shows now, or so many periods of 30 seconds later. A code is good a period early or late, and once:
  /// so an account takes the present one and then the next one, whenever a period ends.
  static func code(_ secret: String, later periods: Int64 = 0) throws -> String {
    let bytes = try #require(Base32.decode(secret))
    let step = OneTimePassword.step(at: Int64(Date().timeIntervalSince1970))
    return try OneTimePassword.password(SecretBytes(bytes), step: step + periods)
  }

  /// The code that the app shows next: the present one has enrolled it. Good for a minute at least, from now on.
  func nextCode() throws -> String { try Self.code(secret, later: 1) }

  /// Runs a command with what the app shows next, and again with a new code if the command fails and that one's time is
  /// over.
  ///
  /// - Returns: the last code and its outcome.
  func withNextCode(
    _ command: (String) async throws -> ChildProcess.Outcome
  ) async throws -> (code: String, outcome: ChildProcess.Outcome) {
    while true {
      let code = try nextCode(), outcome = try await command(code)
      let isGood = try (-1...1).contains { try Self.code(secret, later: $0) == code }
      if outcome.succeeded || isGood { return (code, outcome) }
    }
  }

  /// A code that it does not show.
  func wrongCode() throws -> String {
    let shown = try (-2...2).map { try Self.code(secret, later: $0) }
    return try #require((0..<10).map { "00000\($0)" }.first { !shown.contains($0) })
  }
}

extension GateHome {
  /// A file with Ada's password.
  var passwordFile: String { folder + "/password" }

  /// A home where Ada's address is verified, and her password in a file.
  static func withVerifiedAda<Result>(_ body: (GateHome) async throws -> Result) async throws -> Result {
    try await withAda { home in
      try Data(password.utf8).write(to: URL(filePath: home.passwordFile))
      #expect(try await home.gate("users", "update", email, "--email-verified").succeeded)
      return try await body(home)
    }
  }

  /// A home where Ada has an authenticator app.
  static func withApp<Result>(_ body: (GateHome, EnrolledApp) async throws -> Result) async throws -> Result {
    try await withVerifiedAda { home in
      let (shown, outcome) = try await home.enroll("--name", "my phone") { try EnrolledApp.code($0) }
      let done = try JSONObject(parsing: try #require(outcome.output.split(separator: "\n").last).utf8)
      let app = EnrolledApp(
        secret: try #require(shown["secret"]?.string), id: try #require(done["secondFactor"]?["id"]?.string),
        recoveryCodes: try #require(done["recoveryCodes"]?.array).compactMap(\.string))
      return try await body(home, app)
    }
  }

  /// A home where Ada has two apps: `my phone`, and `tablet`, which was enrolled with the first recovery code.
  static func withTwoApps<Result>(
    _ body: (GateHome, EnrolledApp, EnrolledApp) async throws -> Result
  ) async throws -> Result {
    try await withApp { home, app in
      let (shown, outcome) = try await home.enroll("--name", "tablet", "--second-factor", app.recoveryCodes[0]) {
        try EnrolledApp.code($0)
      }
      let done = try JSONObject(parsing: try #require(outcome.output.split(separator: "\n").last).utf8)
      let tablet = EnrolledApp(
        secret: try #require(shown["secret"]?.string), id: try #require(done["secondFactor"]?["id"]?.string),
        recoveryCodes: [])
      return try await body(home, app, tablet)
    }
  }

  /// The identifiers of Ada's sessions, as the provider lists them.
  func sessionIDs() async throws -> [String] {
    let list = try await gate("sessions", "list", "--json")
    let sessions = try #require(try JSONObject(parsing: list.output.utf8)["sessions"]?.array, "\(list)")
    return sessions.compactMap { $0["id"]?.string }
  }

  /// Enrolls an app as a program does: reads the secret, and then writes the code.
  ///
  /// - Returns: the first line of the output, and all of it.
  func enroll(
    _ arguments: String..., code: (String) throws -> String
  ) async throws -> (shown: JSONObject, outcome: ChildProcess.Outcome) {
    let child = try Spawned(
      [
        "/usr/bin/env", "-C", folder, "\(Repository.products)/gate", "--home", path, "second-factors", "enroll",
        "--json", "--password-file", passwordFile,
      ] + arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    var output = Data()
    while !output.contains(UInt8(ascii: "\n")), case let some = child.output.availableData, !some.isEmpty {
      output += some
    }
    let shown = (try? JSONObject(parsing: output.split(separator: UInt8(ascii: "\n")).first ?? Data())) ?? JSONObject()
    if let secret = shown["secret"]?.string { try? child.input.write(contentsOf: Data("\(code(secret))\n".utf8)) }
    try child.input.close()
    output += child.output.readDataToEndOfFile()
    let errors = child.errors.readDataToEndOfFile()
    return (
      shown,
      ChildProcess.Outcome(
        status: await child.status(), output: String(decoding: output, as: UTF8.self),
        errors: String(decoding: errors, as: UTF8.self))
    )
  }

  /// Signs Ada in with her password, and what else is given.
  func signIn(_ arguments: String...) async throws -> ChildProcess.Outcome {
    try await gate(["sign-in", Self.email, "--password-file", passwordFile] + arguments, input: [])
  }
}
