import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// The options for the link of a message that signs in. It is typed at the terminal, or read from standard input; never
/// in the arguments, because it is as good as a password.
struct EmailLinkOptions: ParsableArguments {
  @Flag(name: .customLong("email-link"), help: "Ask for the link of a message that gate sign-in-link has made.")
  var asks = false

  @Flag(name: .customLong("link-stdin"), help: "Read that link from standard input.") var fromStandardInput = false

  /// Whether a link takes the place of a password.
  var isAsked: Bool { asks || fromStandardInput }

  /// Reads the link, without what is around it.
  func link() throws -> Secret {
    if fromStandardInput { return GivenLink(try Input.standard.secret("link", limit: PasswordOptions.limit)).text }
    guard let terminal = Terminal() else {
      throw ValidationError("there is no terminal to ask for a link; use --link-stdin")
    }
    return GivenLink(
      try terminal.askSecretly("Link of the message: ", for: "link", orGiveBy: "--link-stdin")
    ).text
  }
}
