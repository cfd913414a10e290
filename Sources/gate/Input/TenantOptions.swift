import ArgumentParser

/// `--tenant`: the tenant whose accounts a command is about.
struct TenantOptions: ParsableArguments {
  @Option(
    name: .customLong("tenant"),
    help: ArgumentHelp("The tenant of the account; the project itself if it is not given.", valueName: "id"))
  var id: String?

  func validate() throws {
    if id == "" { throw ValidationError("--tenant is empty; leave it out for the project itself") }
  }
}
