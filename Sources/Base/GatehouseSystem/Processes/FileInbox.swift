import Glibc

/// Receives open files from other processes of this user, through a socket in the abstract namespace, which leaves
/// nothing behind in the file system.
package struct FileInbox: ~Copyable, Sendable {
  /// The socket's name for senders, without its initial zero byte.
  package let name: String
  private let descriptor: Int32
  /// The kernel's maximum: senders do not wait for this process to accept their files.
  private static let backlog: Int32 = 4096

  package init() throws(SystemError) {
    var random = SystemRandomNumberGenerator()
    let name = "gatehouse." + (0..<4).map { _ in String(random.next(), radix: 36) }.joined(separator: ".")
    descriptor = try Self.listener(name)
    self.name = name
  }

  private static func listener(_ name: String) throws(SystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = try systemCall("socket", "") { socket(AF_UNIX, kind, 0) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // `unsafe`, here and below: the kernel accesses the given values within their given sizes.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in name.utf8.enumerated() { unsafe path[index + 1] = byte }
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    do throws(SystemError) {
      try systemCall("bind", name) {
        unsafe withUnsafePointer(to: &address) { address in
          unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
        }
      }
      try systemCall("listen", name) { listen(descriptor, backlog) }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  deinit { close(descriptor) }

  /// The next file that was sent; `nil` if there is none now. Does not wait. Closes files that other users send.
  package borrowing func next() throws(SystemError) -> OpenFile? {
    while true {
      let peer: Int32
      do throws(SystemError) {
        peer = try systemCall("accept", name) { accept(descriptor, nil, nil) }
      } catch {
        guard error.number == .wouldWait || error.number == .connectionAborted else { throw error }
        return nil
      }
      defer { close(peer) }
      _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
      if UserNamespace.isOwn(PeerProcess.user(of: peer)), let file = Self.received(from: peer) {
        return OpenFile(descriptor: file, path: name)
      }
    }
  }

  /// The control message: its header and one descriptor.
  private struct Rights {
    var header = cmsghdr()
    var descriptor: Int32 = -1
    var padding: Int32 = 0
  }

  private static func received(from peer: Int32) -> Int32? {
    // A sender sends immediately after connecting. One that does not is not ours.
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    unsafe setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var rights = Rights()
    var letter: UInt8 = 0
    let count = unsafe withUnsafeMutablePointer(to: &letter) { letter in
      var text = unsafe iovec(iov_base: letter, iov_len: 1)
      return unsafe withUnsafeMutablePointer(to: &text) { text in
        unsafe withUnsafeMutablePointer(to: &rights) { rights in
          var message = unsafe msghdr()
          unsafe message.msg_iov = text
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = UnsafeMutableRawPointer(rights)
          unsafe message.msg_controllen = MemoryLayout<Rights>.size
          return unsafe recvmsg(peer, &message, Int32(MSG_CMSG_CLOEXEC))
        }
      }
    }
    let isOne = rights.header.cmsg_level == SOL_SOCKET && rights.header.cmsg_type == SCM_RIGHTS
    return count == 1 && isOne && rights.descriptor >= 0 ? rights.descriptor : nil
  }
}
