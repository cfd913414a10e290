import ArgumentParser
import GatehouseBase
import GatehouseLocal
import GatehouseSystem

/// `gate provider backup FILE`
struct ProviderBackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write the provider's accounts and keys of one moment into one file.",
    discussion: """
      Other programs may use the provider meanwhile. The file is its owner's only (0600), and is there only when it is \
      whole and on the disk.
      """)

  @Argument(help: "The file to write.", completion: .file(), transform: fileName) var file: String
  @Flag(help: "Replace the file if it is there.") var force = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    try home.requireProvider()
    try home.requireNotSession(file)
    if !force, (try? FileStatus.at(file)) != nil {
      throw AuthError(.invalidArgument, "\(file) is there already; --force replaces it")
    }
    let backup = try await home.withProvider { (provider) throws(AuthError) in
      try await typed { try await provider.backup(to: file, replacing: force) }
    }
    try answer.write(
      "backed up \(counted(backup.accounts, "account")) and \(counted(backup.keys, "key")) to \(file)",
      json: [
        "file": .string(file), "accounts": .number(JSONNumber(backup.accounts)),
        "keys": .number(JSONNumber(backup.keys)), "bytes": .number(JSONNumber(backup.bytes)),
      ])
  }
}
