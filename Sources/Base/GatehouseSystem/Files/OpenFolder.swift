import GatehouseBase
import Glibc

/// An open folder. Names are looked up in this folder, even if its path changes meanwhile. No link in it is followed.
package struct OpenFolder: ~Copyable, Sendable {
  private let file: OpenFile

  /// As it was opened, for errors.
  package var path: String { file.path }
  var descriptor: Int32 { file.descriptor }

  init(_ file: consuming OpenFile) { self.file = file }

  /// Opens a folder. A link at the path's end is unsafe, unless it is to be followed; links above it are followed.
  package init(_ path: String, followingLink: Bool = false) throws(SystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
    do throws(SystemError) {
      // `unsafe`: the kernel reads the string up to its zero byte, and `systemCall` has checked that it has no other.
      let descriptor = try systemCall("open", path, passing: path) { unsafe Glibc.open(path, flags) }
      file = OpenFile(descriptor: descriptor, path: path)
    } catch {
      // The kernel calls a link no folder.
      guard error.number == .notAFolder, !followingLink, try FileStatus.at(path)?.kind == .link else { throw error }
      throw .link(path)
    }
  }

  /// Opens a folder of our own: refuses one that belongs to another user or that others can write to.
  package static func own(_ path: String) throws(SystemError) -> OpenFolder {
    let folder = try OpenFolder(path)
    try folder.status().require(.folder, .unwritable, at: path)
    return folder
  }

  package func status() throws(SystemError) -> FileStatus { try file.status() }

  /// The status of a name here; `nil` where nothing has it.
  package func status(of name: String) throws(SystemError) -> FileStatus? {
    try ifThere { () throws(SystemError) in
      try FileStatus.status(of: try checked(name), in: descriptor, path(of: name))
    }
  }

  /// Opens a file of this folder. A link is unsafe; `OpenFile` says what else holds.
  package func open(_ name: String, _ access: FileAccess = .reading) throws(SystemError) -> OpenFile {
    let name = try checked(name)
    do throws(SystemError) {
      let flags = access.flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      let descriptor = try systemCall("open", path(of: name), passing: name) {
        unsafe openat(self.descriptor, name, flags, access.mode)
      }
      return OpenFile(descriptor: descriptor, path: path(of: name))
    } catch {
      guard error.number == .tooManyLinks else { throw error }
      throw .link(path(of: name))
    }
  }

  /// Opens a plain file of our own: refuses a folder, a pipe, a device, what belongs to another user, and what is open
  /// to others. What cannot even be opened fails with the system's reason: a folder for writing (`.isAFolder`).
  package func openOwn(
    _ name: String, _ access: FileAccess = .reading, _ privacy: Privacy
  ) throws(SystemError) -> OpenFile {
    let file = try open(name, access)
    try file.status().require(.file, privacy, at: file.path)
    return file
  }

  /// Returns when the names in this folder are on the disk, as far as its file system can say (`EINVAL`: it cannot).
  package func sync() throws(SystemError) {
    do throws(SystemError) { try file.sync() } catch { guard error.number == .invalid else { throw error } }
  }

  /// A name's path, for errors and for programs that take paths.
  package func path(of name: String) -> String {
    if path == "." { return name }
    return path.utf8.last == UInt8(ascii: "/") ? path + name : "\(path)/\(name)"
  }

  /// Refuses a name that leads elsewhere.
  func checked(_ name: String) throws(SystemError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
      throw SystemError(call: "open", path: path(of: name), number: .invalid)
    }
    return name
  }
}
