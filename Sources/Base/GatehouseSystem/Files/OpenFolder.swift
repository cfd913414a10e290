import GatehouseBase
import Glibc

/// An open folder. Names are looked up in this folder, even if its path changes meanwhile. Links in it are not
/// followed.
package struct OpenFolder: ~Copyable, Sendable {
  private let file: OpenFile

  /// The path with which it was opened, for errors.
  package var path: String { file.path }
  var descriptor: Int32 { file.descriptor }

  init(_ file: consuming OpenFile) { self.file = file }

  /// Opens a folder. Rejects a link at the path's end as unsafe, unless `followingLink`; links above it are followed.
  package init(_ path: String, followingLink: Bool = false) throws(SystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
    do throws(SystemError) {
      // `unsafe`: the kernel reads the string up to its zero byte; `systemCall` has checked that it contains no other.
      let descriptor = try systemCall("open", path, passing: path) { unsafe Glibc.open(path, flags) }
      file = OpenFile(descriptor: descriptor, path: path)
    } catch {
      // For a link, the kernel's error is "not a folder".
      guard error.number == .notAFolder, !followingLink, try FileStatus.at(path)?.kind == .link else { throw error }
      throw .link(path)
    }
  }

  /// Opens a folder owned by this program's user. Rejects one that belongs to another user or that others can write to.
  package static func own(_ path: String) throws(SystemError) -> OpenFolder {
    let folder = try OpenFolder(path)
    try folder.status().require(.folder, .unwritable, at: path)
    return folder
  }

  package func status() throws(SystemError) -> FileStatus { try file.status() }

  /// The status of a name in this folder; `nil` if the name does not exist.
  package func status(of name: String) throws(SystemError) -> FileStatus? {
    try ifThere { () throws(SystemError) in
      try FileStatus.status(of: try checked(name), in: descriptor, path(of: name))
    }
  }

  /// Opens a file of this folder. Rejects a link as unsafe; otherwise the same as for `OpenFile`.
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

  /// Opens a plain file owned by this program's user. Rejects a folder, a pipe, a device, another user's file, and a
  /// file that is open to others. A file that cannot be opened at all fails with the system's error: a folder for
  /// writing, for example, with `.isAFolder`.
  package func openOwn(
    _ name: String, _ access: FileAccess = .reading, _ privacy: Privacy
  ) throws(SystemError) -> OpenFile {
    let file = try open(name, access)
    try file.status().require(.file, privacy, at: file.path)
    return file
  }

  /// Returns when the names in this folder are on the disk, if its file system supports that (`EINVAL`: it does not).
  package func sync() throws(SystemError) {
    do throws(SystemError) { try file.sync() } catch { guard error.number == .invalid else { throw error } }
  }

  /// The path of a name in this folder, for errors and for programs that take paths.
  package func path(of name: String) -> String {
    if path == "." { return name }
    return path.utf8.last == UInt8(ascii: "/") ? path + name : "\(path)/\(name)"
  }

  /// Rejects a name that leads out of this folder.
  func checked(_ name: String) throws(SystemError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
      throw SystemError(call: "open", path: path(of: name), number: .invalid)
    }
    return name
  }
}
