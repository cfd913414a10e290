package import GatehouseBase
package import Glibc

/// Replaces a file's content in one step: a reader, and the machine after a power cut, finds the old content or the
/// new, whole.
package enum AtomicFile {
  /// Writes a file beside the old one, durably, and gives it the old one's name.
  ///
  /// Blocks its thread. The folder must exist; a link in the file's place is replaced, not followed. When it throws
  /// (`storeFailed`), the old content is still there.
  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws(AuthError) {
    let location = FileLocation(path)
    do throws(FileFailure) {
      let folder = try POSIXFolder(opening: location.folder, followingLink: true)
      try replace(location.name, in: folder, with: bytes, mode: mode)
    } catch {
      throw AuthError(.storeFailed, "\(path) could not be written: \(error.reason)")
    }
  }

  /// As `write`; `beforeRename` runs when the new content is on the disk under its temporary name, and may refuse.
  static func replace(
    _ name: String, in folder: borrowing POSIXFolder, with bytes: [UInt8], mode: mode_t,
    beforeRename: () throws(FileFailure) -> Void = {}
  ) throws(FileFailure) {
    let temporary = prefix(of: name) + SystemRandomSource().identifier()
    do throws(FileFailure) {
      let file = try folder.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      try file.writeAll(bytes)
      try file.setMode(mode)
      try file.sync()
      try beforeRename()
      try folder.rename(temporary, to: name)
    } catch {
      try? folder.remove(temporary)
      throw error
    }
    try folder.sync()
  }

  /// Removes what writers of this file left behind when they were killed. Only for who keeps other writers out.
  static func removeStrays(of name: String, in folder: borrowing POSIXFolder) throws(FileFailure) {
    let prefix = prefix(of: name)
    for stray in try folder.names() where stray.hasPrefix(prefix) {
      let rest = stray.utf8.dropFirst(prefix.utf8.count)
      if rest.count == 32, rest.allSatisfy(isHexadecimal) { try folder.remove(stray) }
    }
  }

  private static func prefix(of name: String) -> String { "\(name).tmp-" }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}
