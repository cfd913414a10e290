import ArgumentParser
import GatehouseBase
import GatehouseSystem

/// Where a key is written to: a file of its own, or standard output.
struct KeyOutput: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write to a new file: a private key's is its owner's only (0600).", valueName: "file"),
    completion: .file(), transform: fileName)
  var out: String?
  @Flag(help: "Replace the file if it is there; without --out, show a private key on a terminal.")
  var force = false

  /// Refuses to show a key on a terminal, where it would stay in the scrollback. This is called before the key is made.
  func checkSecrecy() throws(AuthError) {
    guard out == nil, !force, InheritedDescriptor.output.isTerminal else { return }
    throw AuthError(.invalidArgument, "a private key would stay on this terminal: name a file with --out, or --force")
  }

  /// Writes a key. If it goes to a file, it is written durably.
  func write(_ text: Secret, isSecret: Bool) throws(AuthError) {
    let bytes = Array(text.revealed.utf8)
    guard let out else {
      if isSecret { try checkSecrecy() }
      return try StandardOutput.write(bytes)
    }
    try FileOutput.write(bytes, to: out, isSecret ? .ownerOnly : .shared, replacing: force)
  }
}
