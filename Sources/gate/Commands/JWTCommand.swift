import ArgumentParser

/// `gate jwt`
struct JWTCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jwt", abstract: "Sign a token with a key of your own, or read one.",
    discussion: "To verify a token there is gate verify.",
    subcommands: [JWTSignCommand.self, JWTDecodeCommand.self])
}
