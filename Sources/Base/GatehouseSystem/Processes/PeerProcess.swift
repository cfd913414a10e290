import Glibc

/// The process at the other end of a Unix socket, which the kernel has recorded when it connected.
package struct PeerProcess: Sendable, Hashable {
  /// The process ID; 0 if the process is in a namespace that this program does not see.
  package let id: Int32
  /// The user; `nil` for one that this user namespace does not map.
  package let user: UInt32?
  /// The group; `nil` for one that this user namespace does not map.
  package let group: UInt32?
  /// The supplementary groups that this user namespace maps.
  package let groups: [UInt32]
  /// The path of its executable, with links resolved; `nil` if the process has ended or this program may not inspect
  /// it.
  package let executable: String?

  /// Asks the kernel about the peer of a connected socket.
  ///
  /// - Parameters:
  ///   - hasHandles: whether the kernel may be asked for a handle of the process (Linux 6.5).
  ///   - findsExecutable: whether the executable is looked up.
  package init(of socket: Int32, hasHandles: Bool = true, findsExecutable: Bool = true) throws(SystemError) {
    let peer = try Self.credentials(of: socket)
    self.init(
      id: peer.process, user: peer.user, group: peer.group, groups: Self.groups(of: socket),
      executable: findsExecutable && peer.process > 0
        ? Self.executable(of: peer.process, socket, hasHandles: hasHandles) : nil)
  }

  /// A process with given credentials.
  ///
  /// - Parameter namespace: the namespace that the identifiers are of.
  package init(
    id: Int32, user: UInt32, group: UInt32, groups: [UInt32] = [], executable: String? = nil,
    in namespace: UserNamespace = .current
  ) {
    self.id = id
    self.user = namespace.known(user: user)
    self.group = namespace.known(group: group)
    self.groups = groups.compactMap { namespace.known(group: $0) }
    self.executable = executable
  }

  /// The user at the other end of a connected socket; `nil` if it is unknown.
  package static func user(of socket: Int32) -> UInt32? {
    (try? credentials(of: socket)).flatMap { UserNamespace.current.known(user: $0.user) }
  }

  private static func credentials(
    of socket: Int32
  ) throws(SystemError) -> (process: pid_t, user: uid_t, group: gid_t) {
    // The kernel's `ucred`, which the headers declare for `_GNU_SOURCE` only.
    var credentials = (process: pid_t(0), user: uid_t.max, group: gid_t.max)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    // `unsafe`, here and below: the kernel writes at most the given size, to a variable of that size.
    try systemCall("getsockopt", "") {
      unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    }
    return credentials
  }

  /// The option's number, which older headers do not have.
  private static let (peerGroups, peerHandle): (Int32, Int32) = (59, 77)

  private static func groups(of socket: Int32) -> [UInt32] {
    var groups = [gid_t](repeating: 0, count: 64)
    while true {
      var size = socklen_t(groups.count * MemoryLayout<gid_t>.size)
      if unsafe getsockopt(socket, SOL_SOCKET, peerGroups, &groups, &size) == 0 {
        return Array(groups.prefix(Int(size) / MemoryLayout<gid_t>.size))
      }
      // The kernel says how much room it needs if there is too little.
      guard errno == ERANGE, Int(size) > groups.count * MemoryLayout<gid_t>.size else { return [] }
      groups = [gid_t](repeating: 0, count: Int(size) / MemoryLayout<gid_t>.size)
    }
  }

  /// A process ID may belong to another process by now. With a handle of the peer, which the kernel has since it
  /// connected, that is excluded: while the peer lives, its ID is its own. Older kernels have no such handle. There a
  /// connection that is still open is the only sign that the peer lives; a child of the peer may keep it open, too.
  private static func executable(of process: pid_t, _ socket: Int32, hasHandles: Bool) -> String? {
    let handle = hasHandles ? self.handle(of: socket) : nil
    defer { if let handle { close(handle) } }
    guard let path = try? CurrentProcess.executable(of: process) else { return nil }
    let (descriptor, signs) = handle.map { ($0, POLLIN) } ?? (socket, POLLHUP)
    return isReady(descriptor, for: signs) ? nil : path
  }

  private static func handle(of socket: Int32) -> Int32? {
    var handle: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(socket, SOL_SOCKET, peerHandle, &handle, &size) == 0 && handle >= 0 ? handle : nil
  }

  private static func isReady(_ descriptor: Int32, for signs: Int32) -> Bool {
    var asked = pollfd(fd: descriptor, events: Int16(signs), revents: 0)
    return unsafe poll(&asked, 1, 0) != 0 && Int32(asked.revents) & (signs | POLLNVAL) != 0
  }
}
