import GatehouseBase
import Glibc

extension OpenFolder {
  /// Makes a folder for its owner only (0700), and those above it that are missing. They are on the disk when this
  /// returns, unless this program may add to the first parent but not read it: such a folder cannot be synced.
  package static func make(_ path: String) throws(SystemError) {
    let parent = FileLocation(path).folder
    do throws(SystemError) { try makeOne(path, in: parent) } catch {
      guard error.number == .noSuchFile, parent != path else { throw error }
      try make(parent)
      try makeOne(path, in: parent)
    }
  }

  private static func makeOne(_ path: String, in parent: String) throws(SystemError) {
    do throws(SystemError) {
      try systemCall("mkdir", path, passing: path) { unsafe mkdir(path, 0o700) }
    } catch {
      // Another process that makes it may not have synced its parent yet: both do.
      guard error.number == .exists else { throw error }
    }
    do throws(SystemError) { try OpenFolder(parent, followingLink: true).sync() } catch {
      guard error.number == .accessDenied else { throw error }
    }
  }

  /// Opens a folder of our own, and makes it if it is missing.
  package static func ownOrMade(_ path: String) throws(SystemError) -> OpenFolder {
    if let folder = try ifThere({ () throws(SystemError) in try own(path) }) { return folder }
    try make(path)
    return try own(path)
  }

  /// Makes a new folder for its owner only. Not durable.
  ///
  /// - Parameters:
  ///   - prefix: what its name begins with.
  ///   - given: the folder that `TMPDIR` names; without one it is `/tmp`.
  /// - Returns: its path.
  package static func makeTemporary(_ prefix: String, in given: String? = nil) throws(SystemError) -> String {
    let root = given.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let path = "\(root)/\(prefix)\(SystemRandomSource().identifier())"
    try systemCall("mkdir", path, passing: path) { unsafe mkdir(path, 0o700) }
    return path
  }

  /// Removes a file, or a folder with all that is in it, by its path; follows no link in it or at its end.
  package static func removeAll(at path: String) throws(SystemError) {
    let location = FileLocation(path)
    try OpenFolder(location.folder, followingLink: true).removeAll(location.name)
  }
}
