import GatehouseBase
import Glibc

extension OpenFolder {
  /// Creates a folder for its owner only (0700), and its missing parents. They are on the disk when this returns,
  /// unless this program may write to the first parent but not read it: such a folder cannot be synced.
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
      // Another process that created it may not have synced its parent yet, so both do.
      guard error.number == .exists else { throw error }
    }
    do throws(SystemError) { try OpenFolder(parent, followingLink: true).sync() } catch {
      guard error.number == .accessDenied else { throw error }
    }
  }

  /// Opens a folder owned by this program's user, and creates it if it is missing.
  package static func ownOrMade(_ path: String) throws(SystemError) -> OpenFolder {
    if let folder = try ifThere({ () throws(SystemError) in try own(path) }) { return folder }
    try make(path)
    return try own(path)
  }

  /// Opens a folder in this one that is owned by this program's user, and creates it if it is missing; both are on the
  /// disk then. It is created in the open folder: if that one was removed or moved, nothing is created at its path.
  package func ownOrMade(_ name: String) throws(SystemError) -> OpenFolder {
    if let folder = try ifThere({ () throws(SystemError) in try own(name) }) { return folder }
    do throws(SystemError) {
      try systemCall("mkdir", path(of: name), passing: name) { unsafe mkdirat(descriptor, name, 0o700) }
    } catch {
      // Another process that created it may not have synced this folder yet, so both do.
      guard error.number == .exists else { throw error }
    }
    try sync()
    return try own(name)
  }

  private func own(_ name: String) throws(SystemError) -> OpenFolder {
    let file = try open(name)
    try file.status().require(.folder, .unwritable, at: file.path)
    return OpenFolder(file)
  }

  /// Creates a new folder for its owner only. Not durable.
  ///
  /// - Parameters:
  ///   - prefix: the beginning of the folder's name.
  ///   - given: the value of `TMPDIR`; without one, `/tmp` is used.
  /// - Returns: the folder's path.
  package static func makeTemporary(_ prefix: String, in given: String? = nil) throws(SystemError) -> String {
    let root = given.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let path = "\(root)/\(prefix)\(SystemRandomSource().identifier())"
    try systemCall("mkdir", path, passing: path) { unsafe mkdir(path, 0o700) }
    return path
  }

  /// Removes the file at a path, or the folder with all its content; follows no link in it or at the path's end.
  package static func removeAll(at path: String) throws(SystemError) {
    let location = FileLocation(path)
    try OpenFolder(location.folder, followingLink: true).removeAll(location.name)
  }
}
