import GatehouseBase
import Glibc

/// The path at which a server's Unix socket is to be, which another server may have.
///
///     at the path is      then a server that starts
///     nothing             takes the place
///     a dead socket       replaces it
///     a live socket       is refused (`.addressInUse`)
///     anything else       is refused (`.notASocket`)
///
/// The server binds its socket to a name of its own beside the path first, and the socket gets the path in one step.
/// So a server that ends can tell whether what is at the path is still its own.
package struct SocketPlace: Sendable {
  package let path: String
  /// Where the server binds its socket.
  package let ownPath: String

  package init(_ path: String) {
    self.path = path
    let folder = FileLocation(path).folder
    ownPath = (folder == "/" ? "" : folder) + "/.gatehouse-\(SystemRandomSource().identifier().prefix(8))"
  }

  /// Refuses a place that is not free, or never will be.
  package func requireFree() throws(SystemError) {
    guard !FileLocation(path).name.isEmpty else { throw SystemError(call: "bind", path: path, number: .invalid) }
    _ = try UnixSocketAddress(Array(ownPath.utf8), path)
    _ = try UnixSocketAddress(Array(path.utf8), path)
    guard try FileStatus.at(FileLocation(path).folder, followingLink: true) != nil else {
      throw SystemError(call: "bind", path: path, number: .noSuchFile)
    }
    _ = try deadSocket()
  }

  /// Gives the socket at `ownPath` its path.
  ///
  /// - Returns: the socket, for `leave`.
  package func take() throws(SystemError) -> FileStatus {
    let folder = try OpenFolder(FileLocation(path).folder, followingLink: true)
    let own = FileLocation(ownPath).name
    do throws(SystemError) {
      guard let socket = try folder.status(of: own) else {
        throw SystemError(call: "bind", path: path, number: .noSuchFile)
      }
      if try deadSocket() != nil { try folder.remove(FileLocation(path).name) }
      do throws(SystemError) { try folder.move(own, to: FileLocation(path).name) } catch {
        throw error.number == .exists ? SystemError(call: "bind", path: path, number: .addressInUse) : error
      }
      return socket
    } catch {
      try? folder.remove(own)
      throw error
    }
  }

  /// Removes the socket, if it is still the one that took the place.
  package func leave(_ socket: FileStatus) throws(SystemError) {
    _ = try ifThere { () throws(SystemError) in
      let folder = try OpenFolder(FileLocation(path).folder, followingLink: true)
      let name = FileLocation(path).name
      if try folder.status(of: name)?.isSame(as: socket) == true { try folder.remove(name) }
    }
  }

  /// The socket at the path, whose server has ended; `nil` where nothing is. Refuses all else.
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
      // Its server has no room for more connections now, or is of another kind, or not ours to ask.
      default: break
      }
    }
    throw SystemError(call: "bind", path: path, number: .addressInUse)
  }
}
