import ArgumentParser
import Gatehouse
import GatehouseBase

/// `gate unlink PROVIDER`
struct UnlinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlink", abstract: "Take a way to sign in from the signed-in user.",
    discussion: """
      PROVIDER is password, phone, google.com or another identity provider; gate whoami --json lists those of the \
      user. Where the session is older than five minutes, sign in again first.
      """)

  @Argument(help: "The way to sign in.") var provider: String
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if provider.isEmpty { throw ValidationError("the provider is empty") }
  }

  func run() async throws {
    let (line, json, isLast) = try await home.home().withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      let changed = try await typed { try await user.unlink(fromProvider: provider) }
      return (changed.line, changed.json, changed.providerData.isEmpty)
    }
    let warning = isLast ? "; no way to sign in is left once this session ends: gate link adds one" : ""
    try answer.write("unlinked \(provider.shown) from \(line)\(warning)", json: json)
  }
}
