import ArgumentParser
import Gatehouse
import GatehouseJOSE

/// `gate token`
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Print an ID token that is fresh, or keep one fresh.",
    usage: """
      gate token [--force-refresh] [--json] [--home <dir>] [--backend <backend>]
      gate token --watch [--file <path>] [--on-change <command>] [--json] [--home <dir>] [--backend <backend>]
      """,
    discussion: """
      With --watch the program stays, refreshes ahead of expiry, and hands out each fresh token: as a line on standard \
      output, or in a file that is replaced in one step and that only its owner can read (0600; the token without a \
      line end, with --json as well). While the provider fails it says so on standard error and tries again, less and \
      less often.

      It looks at the home and at the file once a second. A sign-in of the same user elsewhere is followed. When \
      another user signs in, the watch ends with status 3: it never hands out another user's token. While the \
      provider's folder is gone, the token at hand stays, and the watch goes on when the folder is back.

      The first token must be written, or the watch ends with status 1. Later, while the file cannot be written, it \
      says so once and tries again, at most 30 seconds apart. It writes the file again when that was removed, and \
      never makes a folder. A folder, a device, a pipe or a socket in the file's place is never replaced: at the \
      start it is wrong usage. What cannot be written to standard output ends the watch.

      --on-change runs a command (/bin/sh -c) after each fresh token, never two at once; what changed while it ran is \
      one more run. It finds the file's path in GATEHOUSE_TOKEN_FILE, and the token only there; what it prints goes to \
      standard error, and when it fails the watch goes on.

      Exit status of a watch: 0 on SIGTERM, SIGINT or SIGHUP. No further command begins then; one that runs has 10 \
      seconds, and a second signal does not wait for it. 3 when a person must sign in: the user signed out, or the \
      provider revoked the session, or disabled or deleted the account. 141 when the reader of standard output is \
      gone, at once and quietly. 1 for the rest.

      To try it, GATEHOUSE_TOKEN_LIFETIME=SECONDS sets how long the embedded provider's new tokens live, from 1 to \
      86400, whatever the setting tokenLifetime says. Refreshes ahead of expiry are at least 10 seconds apart.
      """)

  @Flag(help: "Ask the provider for a new token, however fresh the one at hand is.") var forceRefresh = false
  @Flag(help: "Stay, and hand out each fresh token.") var watch = false
  @Option(
    help: ArgumentHelp("With --watch: keep the token in a file.", valueName: "path"), completion: .file())
  var file: String?
  @Option(help: ArgumentHelp("With --watch: run a command after each fresh token.", valueName: "command"))
  var onChange: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: SessionOptions

  func validate() throws {
    if !watch && (file != nil || onChange != nil) { throw ValidationError("--file and --on-change need --watch") }
    if watch && forceRefresh { throw ValidationError("--watch and --force-refresh exclude each other") }
    if let obstacle = file.flatMap(TokenFile.obstacle) { throw ValidationError(obstacle) }
    if onChange == "" { throw ValidationError("--on-change must name a command") }
  }

  func run() async throws {
    let home = try home.home()
    guard !watch else { return try await keepFresh(home) }
    let token = try await home.withSessionAtHand { auth throws(AuthError) in
      let user = try await auth.requireUser()
      try home.requireProvider()
      return try await user.tokenToHandOut(forcingRefresh: forceRefresh)
    }
    try StandardOutput.write(line: TokenText(asJSON: answer.asJSON).text(of: token))
  }

  private func keepFresh(_ home: Home) async throws {
    StandardError.forbidCoreDumps()
    if let file { try home.requireNotOwn(file) }
    let text = TokenText(asJSON: answer.asJSON)
    let file = file.map { TokenFile($0) }
    let place: TokenPlace = file.map { .file($0) } ?? .standardOutput(text)
    let command = onChange.map { ChangeCommand($0, tokenFile: file?.path) }
    let status = try await TokenWatch(home, place, command).run()
    if status != ExitStatus.done { throw ExitCode(status) }
  }
}
