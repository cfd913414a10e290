import ArgumentParser
import GatehouseBase
import GatehouseLocal

/// `gate provider restore FILE`
struct ProviderRestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put the provider of a backup in the home.",
    discussion: """
      The whole file is checked before anything changes, and the provider changes in one step. Accounts, passwords and \
      revoked tokens are again what they were then: users who signed in later must sign in again. Restore only files \
      of your own: the author of a backup decides which users can sign in.
      """)

  @Argument(help: "A file that gate provider backup wrote.", completion: .file(), transform: fileName) var file: String
  @Flag(help: "Replace a provider that is there, damaged or not, and keep it beside the new one.") var replace = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let home = try home.home()
    try home.requireOwn()
    let restored: RestoredProvider
    do throws(AuthError) {
      restored = try await typed { try await LocalBackend.restore(from: file, to: home.provider, replacing: replace) }
    } catch {
      guard error.code == .providerExists else { throw error }
      throw AuthError(error.code, "\(error.message); --replace replaces it, and keeps the old one beside it")
    }
    var json: JSONObject = [
      "accounts": .number(JSONNumber(restored.accounts)), "keys": .number(JSONNumber(restored.keys)),
    ]
    json["replaced"] = restored.replaced.map(JSONValue.string)
    let old = restored.replaced.map { "\nthe provider that was there is now \($0)" } ?? ""
    try answer.write(
      "restored \(counted(restored.accounts, "account")) and \(counted(restored.keys, "key")) from \(file)"
        + old,
      json: json)
  }
}
