import ArgumentParser

/// The code of a second factor, where the account has one: asked for on the terminal, unless the arguments give it. It
/// may be there because it is good once, and opens nothing without the password.
struct SecondFactorOptions: ParsableArguments {
  @Option(
    name: .customLong("second-factor"),
    help: ArgumentHelp(
      "What the authenticator app shows, or a recovery code, if the account has a second factor.", valueName: "code"))
  var code: String?

  @Option(
    help: ArgumentHelp(
      "Which authenticator app shows the code, if the account has several: its name or identifier.", valueName: "name"))
  var app: String?

  func validate() throws {
    if code == "" { throw ValidationError("--second-factor has no code") }
    if app == "" { throw ValidationError("--app is empty; leave it out") }
  }
}
