import ArgumentParser

/// The option for the code of a second factor. If the account has a second factor and the arguments have no code, the
/// terminal asks for it. A code may be in the arguments: it works only once, and is useless without the password.
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
