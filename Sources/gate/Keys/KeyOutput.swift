import ArgumentParser
import Gatehouse
import GatehouseBase
import Glibc

/// Where a key goes: a file of its own, or standard output.
struct KeyOutput: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write to a new file: a private key's is its owner's only (0600).", valueName: "file"),
    completion: .file())
  var out: String?
  @Flag(help: "Replace the file if it is there; without --out, show a private key on a terminal.")
  var force = false

  func validate() throws {
    if out == "" { throw ValidationError("--out must name a file") }
  }

  /// Refuses, before a key is made, to show it where it would stay in a terminal's memory.
  func checkSecrecy() throws(AuthError) {
    guard out == nil, !force, Terminal.showsAnswers else { return }
    throw AuthError(.invalidArgument, "a private key would stay on this terminal: name a file with --out, or --force")
  }

  /// Writes a key, durably if to a file.
  func write(_ text: Secret, isSecret: Bool) throws(AuthError) {
    let bytes = Array(text.revealed.utf8)
    guard let out else {
      if isSecret { try checkSecrecy() }
      return try StandardOutput.write(bytes)
    }
    let mode: mode_t = isSecret ? 0o600 : 0o644
    guard !force else { return try AtomicFile.write(bytes, to: out, mode: mode) }
    do throws(FileFailure) { try Self.create(out, bytes, mode) } catch {
      guard error.number != EEXIST else {
        throw AuthError(.invalidArgument, "\(out) is there already; --force replaces it")
      }
      throw AuthError(.storeFailed, "\(out) could not be written: \(error.reason)")
    }
  }

  /// Makes a file that was not there; leaves none behind that is not whole.
  private static func create(_ path: String, _ bytes: [UInt8], _ mode: mode_t) throws(FileFailure) {
    let location = FileLocation(path)
    let folder = try POSIXFolder(opening: location.folder, followingLink: true)
    let file = try folder.open(location.name, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    do throws(FileFailure) {
      try file.writeAll(bytes)
      try file.sync()
    } catch {
      try? folder.remove(location.name)
      throw error
    }
    try folder.sync()
  }
}
