import ArgumentParser
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import GatehouseSystem
import IdentityToolkit

/// `gate users import FILE`
struct UsersImportCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import the accounts of a file that firebase auth:export has written.",
    discussion: """
      FILE is JSON or CSV, by the end of its name. Passwords need the parameters of their hashes, which Firebase's \
      console shows (Authentication, Users, Password hash parameters); copy them into a file:

        gate users import users.json --hash-config hash-config

      Run it again if it was ended, and it goes on: accounts that are there stay as they are. Run it again with other \
      parameters if those were wrong: passwords that were neither used nor changed get the new ones. A home without \
      a provider gets one. A row that cannot be imported is named with its number and the reason, and costs no other; \
      then the status is 1. Other programs may use the home meanwhile: their changes wait for one batch of 1,000 rows \
      at most.
      """)

  @Argument(help: "The file with the accounts.", completion: .file(extensions: ["json", "csv"]), transform: fileName)
  var file: String
  @OptionGroup var format: UserFileOptions
  @Option(
    help: ArgumentHelp("The file with the parameters of the password hashes.", valueName: "file"),
    completion: .file(), transform: fileName)
  var hashConfig: String?
  @Option(
    help: ArgumentHelp(
      "Write the refused rows to this new file, in the same format; mend them there, and import it.",
      valueName: "file"),
    completion: .file(), transform: fileName)
  var refused: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions
  /// The number of refused rows that are named for a person to read.
  static let mostShown = 100

  func run() async throws {
    let home = try home.home()
    try home.requireOwn()
    let isNew = try !home.hasProvider()
    if isNew { try requireReadable() }
    if let refused { try home.requireNotOwn(refused) }
    var options = UserFileImportOptions()
    options.format = format.format
    options.tenantID = format.tenant
    options.refusedFile = refused
    options.hash = try hashConfig.map(Self.hash(in:))
    let line = ProgressLine()
    let shown = Lock(0)
    let result: UserFileImportResult
    do throws(AuthError) {
      result = try await home.administer(beginsProvider: true) { [options, answer] backend throws(AuthError) in
        try await backend.importUsers(from: file, options) { refusal in
          let number = shown.withLock { count in
            count += 1
            return count
          }
          guard answer.asJSON || number <= Self.mostShown else { return }
          line.clear()
          refusal.show(asJSON: answer.asJSON)
          if number == Self.mostShown, !answer.asJSON {
            StandardError.say("further rows that are refused are only counted here; --json names each")
          }
        } progress: { progress in
          line.show(progress)
        }
      }
    } catch {
      line.clear()
      guard error.serverWord == .missingHashAlgorithm else { throw error }
      throw AuthError(error.code, "\(error.message); name the file that has them with --hash-config")
    }
    line.clear()
    if isNew { StandardError.say("the home had no identity provider; \(home.provider.shown) is a new one") }
    try write(result)
    if result.refused > 0 {
      let (those, them) = result.refused == 1 ? ("it is", "it") : ("they are", "them")
      let advice = refused.map { "\(those) in \($0.shown)" } ?? "--refused FILE writes \(them) to a file"
      throw AnsweredRefusal(
        error: AuthError(.invalidArgument, "\(counted(result.refused, "row")) could not be imported; \(advice)"))
    }
  }

  /// Reads the parameters of the password hashes.
  private static func hash(in file: String) throws -> UserFileHash {
    let bytes = try Input.file(file).bytes(limit: 1 << 16)
    do throws(AuthError) { return try UserFileHash(parsing: bytes) } catch {
      throw AuthError(error.code, "\(file.shown): \(error.message)")
    }
  }

  /// Refuses a file that cannot be opened, before a provider is made for it.
  private func requireReadable() throws(AuthError) {
    do throws(SystemError) { _ = try OpenFile(file) } catch {
      throw AuthError(.storeUnreadable, "\(file.shown) cannot be read: \(error)")
    }
  }

  private func write(_ result: UserFileImportResult) throws(AuthError) {
    let verb = result.alreadyThere == 1 ? "was" : "were"
    var lines = ["imported \(counted(result.imported, "account"))"]
    if result.alreadyThere > 0 {
      lines[0] += "; \(counted(result.alreadyThere, "account")) of the file \(verb) there already"
    }
    if result.corrected > 0 {
      lines.append("gave these parameters to \(counted(result.corrected, "password")) of an earlier import")
    }
    let ignored = result.ignoredMembers.sorted()
    if !ignored.isEmpty { lines.append("ignored members that no account has here: \(ignored.joined(separator: ", "))") }
    try answer.write(
      lines.table,
      json: [
        "imported": .number(JSONNumber(result.imported)), "alreadyThere": .number(JSONNumber(result.alreadyThere)),
        "corrected": .number(JSONNumber(result.corrected)), "refused": .number(JSONNumber(result.refused)),
        "ignoredMembers": .array(ignored.map(JSONValue.string)),
      ])
  }
}

/// The options of both directions.
struct UserFileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The file's format, json or csv, if the end of its name does not say it.", valueName: "format"),
    completion: .list(["json", "csv"]),
    transform: { text in
      guard let format = UserFileFormat(rawValue: text) else { throw ValidationError("it is neither json nor csv") }
      return format
    })
  var format: UserFileFormat?
  @Option(help: ArgumentHelp("The tenant of the accounts.", valueName: "id")) var tenant: String?

  func validate() throws {
    if tenant == "" { throw ValidationError("--tenant is empty; leave it out for the project's own accounts") }
  }
}

extension UserFileRefusal {
  /// Names the row: for people on standard error, for programs as a line of standard output.
  func show(asJSON: Bool) {
    guard asJSON else {
      StandardError.say("row \(row)\(uid.map { " (\($0.shown))" } ?? ""): \(reason.shown)")
      return
    }
    var json: JSONObject = ["row": .number(JSONNumber(row))]
    json["uid"] = uid.map(JSONValue.string)
    json["reason"] = .string(reason)
    try? StandardOutput.write(line: "\(json)")
  }
}
