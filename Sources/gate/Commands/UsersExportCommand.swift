import ArgumentParser
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

/// `gate users export FILE`
struct UsersExportCommand: AdministratorCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Export the accounts to a file that firebase auth:import reads.",
    discussion: """
      FILE is JSON or CSV, by the end of its name. The accounts are those of one moment; other programs may use the \
      home meanwhile. The parameters of the password hashes are written to FILE.hash-config. Accounts whose passwords \
      have other parameters are written to files of their own, such as users.2.json, because an import has one set of \
      them. All files are their owner's only (0600): they have password hashes, and perhaps the key of these.
      """)

  @Argument(help: "The file to write.", completion: .file(extensions: ["json", "csv"]), transform: fileName)
  var file: String
  @OptionGroup var format: UserFileOptions
  @Flag(help: "Replace the files if they are there, and remove what an earlier export has left beside them.")
  var force = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    try home.requireProvider()
    try home.requireNotOwn(file)
    if !force { try requireNew() }
    var options = UserFileExportOptions()
    options.format = format.format
    options.tenantID = format.tenant
    options.replacesFiles = force
    let line = ProgressLine()
    defer { line.clear() }
    let result = try await home.administer { [options] backend throws(AuthError) in
      try await backend.exportUsers(to: file, options) { line.show($0) }
    }
    line.clear()
    for refusal in result.refusals.prefix(answer.asJSON ? .max : UsersImportCommand.mostShown) {
      refusal.show(asJSON: answer.asJSON)
    }
    try write(result)
    if result.refused > 0 {
      throw AnsweredRefusal(
        error: AuthError(
          .invalidArgument, "\(counted(result.refused, "account")) could not be exported; an export to JSON has all"))
    }
  }

  /// Refuses a file that is there. That of other parameters, such as users.2.json, turns out when it is written.
  private func requireNew() throws(AuthError) {
    for file in [file, file + ".hash-config"] where (try? FileStatus.at(file)) != nil {
      throw AuthError(.invalidArgument, "\(file.shown) is there already; --force replaces it")
    }
  }

  private func write(_ result: UserFileExportResult) throws(AuthError) {
    var lines = result.files.map { file in
      "exported \(counted(file.users, "account")) to \(file.path)"
        + (file.hash.map { ", with \($0) passwords; their parameters are in \(file.hashFile ?? "")" } ?? "")
    }
    if result.leftOutIdentities > 0 {
      lines.append(
        "left out \(counted(result.leftOutIdentities, "sign-in")) by providers that the format does not have")
    }
    if result.leftOutFactors > 0 {
      lines.append("left out \(counted(result.leftOutFactors, "second factor")) that the format does not have")
    }
    if result.leftOutOfTenants > 0 {
      lines.append("left out \(counted(result.leftOutOfTenants, "account")) of tenants: export each with --tenant ID")
    }
    lines += result.removedFiles.map { "removed \($0), which an earlier export has left" }
    try answer.write(
      lines.table,
      json: [
        "exported": .number(JSONNumber(result.users)), "files": .array(result.files.map { .object($0.json) }),
        "refused": .number(JSONNumber(result.refused)),
        "leftOutIdentities": .number(JSONNumber(result.leftOutIdentities)),
        "leftOutSecondFactors": .number(JSONNumber(result.leftOutFactors)),
        "leftOutOfTenants": .number(JSONNumber(result.leftOutOfTenants)),
        "removedFiles": .array(result.removedFiles.map { .string($0) }),
      ])
  }
}

extension UserFileExportResult.File {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["file": .string(path), "accounts": .number(JSONNumber(users))]
    json["hashAlgorithm"] = hash.map { .string("\($0)") }
    json["hashConfig"] = hashFile.map(JSONValue.string)
    return json
  }
}
