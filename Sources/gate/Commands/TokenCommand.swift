import ArgumentParser
import Gatehouse
import GatehouseJOSE

/// `gate token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print an ID token that is fresh, or keep one fresh.",
    discussion: """
      With --watch the program stays, refreshes ahead of expiry, and hands out each fresh token: as a line on standard \
      output, or in a file that is replaced in one step and that only its owner can read (0600; the token without a \
      line end). While the provider fails it says so on standard error and tries again, less and less often. It ends \
      with 0 on SIGTERM or SIGINT, once a command that runs has ended (a second signal does not wait for it), and with \
      1 when a person must sign in again.

      --on-change runs a command (/bin/sh -c) after each fresh token, never two at once; what changed while it ran is \
      one more run. It finds the file's path in GATEHOUSE_TOKEN_FILE, and the token only there; what it prints goes to \
      standard error, and when it fails the watch goes on.

      To try it, GATEHOUSE_TOKEN_LIFETIME=SECONDS sets how long the embedded provider's new tokens live, from 1 to \
      86400. Refreshes ahead of expiry are at least 10 seconds apart.
      """)

  @Flag(help: "Ask the provider for a new token, however fresh the one at hand is.") var forceRefresh = false
  @Flag(help: "Stay, and hand out each fresh token.") var watch = false
  @Option(
    help: ArgumentHelp("With --watch: keep the token in a file.", valueName: "path"), completion: .file())
  var file: String?
  @Option(help: ArgumentHelp("With --watch: run a command after each fresh token.", valueName: "command"))
  var onChange: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if !watch && (file != nil || onChange != nil) { throw ValidationError("--file and --on-change need --watch") }
    if watch && forceRefresh { throw ValidationError("--watch and --force-refresh exclude each other") }
    if file == "" { throw ValidationError("--file must name a file") }
    if onChange == "" { throw ValidationError("--on-change must name a command") }
  }

  func run() async throws {
    let home = try home.home()
    guard !watch else { return try await keepFresh(home) }
    let token = try await home.withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      try home.requireProvider()
      return try await user.getIDToken(forcingRefresh: forceRefresh)
    }
    try StandardOutput.write(line: TokenText(asJSON: answer.asJSON).text(of: token))
  }

  private func keepFresh(_ home: Home) async throws {
    let text = TokenText(asJSON: answer.asJSON)
    let place: TokenPlace = file.map { .file($0, text) } ?? .standardOutput(text)
    let command = onChange.map { ChangeCommand($0, tokenFile: file) }
    try await home.withSession(refreshesAutomatically: true, logger: .watch) { auth throws(AuthError) in
      _ = try await auth.requireUser()
      try home.requireProvider()
      try await TokenWatch(auth: auth, place: place, command: command).run()
    }
  }
}
