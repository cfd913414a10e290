import GatehouseBase
import Glibc

/// The path of a server's Unix socket, which another server may already use.
///
///     at the path is      a server that starts
///     nothing             uses the path
///     a dead socket       replaces it
///     a live socket       fails (`.addressInUse`)
///     anything else       fails (`.notASocket`)
///
/// The server first binds its socket to a name of its own beside the path, and the socket then gets the path
/// atomically. So a server that ends can check whether the socket at the path is still its own.
package struct SocketPlace: Sendable {
  package let path: String
  /// The path to which the server binds its socket first.
  package let ownPath: String

  package init(_ path: String) {
    self.path = path
    let folder = FileLocation(path).folder
    ownPath = (folder == "/" ? "" : folder) + "/.gatehouse-\(SystemRandomSource().identifier().prefix(8))"
  }

  /// Throws if the path is in use or can never be used.
  package func requireFree() throws(SystemError) {
    guard !FileLocation(path).name.isEmpty else { throw SystemError(call: "bind", path: path, number: .invalid) }
    _ = try UnixSocketAddress(Array(ownPath.utf8), path)
    _ = try UnixSocketAddress(Array(path.utf8), path)
    guard try FileStatus.at(FileLocation(path).folder, followingLink: true) != nil else {
      throw SystemError(call: "bind", path: path, number: .noSuchFile)
    }
    _ = try deadSocket()
  }

  /// Moves the socket from `ownPath` to the path.
  ///
  /// - Returns: the socket's status, for `leave`.
  package func take() throws(SystemError) -> FileStatus {
    let folder = try OpenFolder(FileLocation(path).folder, followingLink: true)
    let own = FileLocation(ownPath).name
    do throws(SystemError) {
      guard let socket = try folder.status(of: own) else {
        throw SystemError(call: "bind", path: path, number: .noSuchFile)
      }
      if let dead = try deadSocket() { try clear(of: dead, in: folder) }
      do throws(SystemError) { try folder.move(own, to: FileLocation(path).name) } catch {
        throw error.number == .exists ? SystemError(call: "bind", path: path, number: .addressInUse) : error
      }
      return socket
    } catch {
      try? folder.remove(own)
      throw error
    }
  }

  /// Removes a dead socket from the path, and nothing else: another server may have started and taken the path since
  /// this one checked.
  private func clear(of dead: FileStatus, in folder: borrowing OpenFolder) throws(SystemError) {
    let (name, aside) = (FileLocation(path).name, FileLocation(ownPath).name + "-old")
    let moved: Void? = try ifThere { () throws(SystemError) in try folder.rename(name, to: aside) }
    guard moved != nil else { return }
    if try folder.status(of: aside)?.isSame(as: dead) == true { return try folder.remove(aside) }
    try? folder.move(aside, to: name)  // a third server may use the path by now
    throw SystemError(call: "bind", path: path, number: .addressInUse)
  }

  /// Removes the socket if it is still the one that this server placed at the path.
  package func leave(_ socket: FileStatus) throws(SystemError) {
    _ = try ifThere { () throws(SystemError) in
      let folder = try OpenFolder(FileLocation(path).folder, followingLink: true)
      let name = FileLocation(path).name
      if try folder.status(of: name)?.isSame(as: socket) == true { try folder.remove(name) }
    }
  }

  /// The dead socket at the path, whose server has ended; `nil` if nothing is at the path. Throws for anything else.
  private func deadSocket() throws(SystemError) -> FileStatus? {
    guard let found = try FileStatus.at(path) else { return nil }
    guard found.isSocket else { throw SystemError(call: "bind", path: path, number: .notASocket) }
    let address = try UnixSocketAddress(Array(path.utf8), path)
    let descriptor = try systemCall("socket", path) {
      socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    }
    defer { close(descriptor) }
    do throws(SystemError) {
      // `unsafe`: the kernel reads the address, whose length is passed.
      try systemCall("connect", path) { unsafe address.withPointer { unsafe connect(descriptor, $0, $1) } }
    } catch {
      switch error.number {
      case .connectionRefused: return found
      case .noSuchFile: return nil
      // The server's backlog is full, the socket is of another type, or this user may not connect.
      default: break
      }
    }
    throw SystemError(call: "bind", path: path, number: .addressInUse)
  }
}
