import Glibc

/// The service manager that started this program and expects notifications of its state, such as systemd:
/// `sd_notify(3)`.
package enum ServiceManager {
  /// Reports a state, such as `READY=1`. Does nothing without a manager that asks for it, and does not wait until the
  /// manager has received it.
  ///
  /// - Parameter name: the socket's path; one that begins with `@` is an abstract name without a file.
  package static func tell(
    _ state: String, at name: [UInt8]? = CurrentProcess.variable("NOTIFY_SOCKET")
  ) throws(SystemError) {
    guard let bytes = name, !bytes.isEmpty else { return }
    let path = String(decoding: bytes, as: UTF8.self)
    // An abstract name begins with a zero byte, and is not terminated by one.
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    let address = try UnixSocketAddress(isAbstract ? [0] + bytes.dropFirst() : bytes, path)
    let descriptor = try systemCall("socket", path) {
      socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }
    defer { close(descriptor) }
    let message = Array(state.utf8)
    try systemCall("sendto", path) {
      unsafe address.withPointer {
        unsafe sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1)
      }
    }
  }

  /// The listening socket with which the manager has started this program: `sd_listen_fds(3)`. `nil` without one. Call
  /// it once: the caller owns the descriptor.
  ///
  /// Throws `.invalid` if there are several sockets, or if it is not a Unix socket that listens.
  package static func listeningSocket(
    _ variable: (String) -> [UInt8]? = { CurrentProcess.variable($0) }
  ) throws(SystemError) -> Int32? {
    func number(_ name: String) -> Int32? {
      variable(name).flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
    guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), count > 0 else { return nil }
    let first: Int32 = 3
    guard count == 1, try option(SO_ACCEPTCONN, of: first) == 1, try option(SO_DOMAIN, of: first) == AF_UNIX else {
      throw SystemError(call: "listen", path: "LISTEN_FDS", number: .invalid)
    }
    _ = fcntl(first, F_SETFD, FD_CLOEXEC)
    return first
  }

  /// The path of a Unix socket; `nil` if it has none.
  package static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    // `unsafe`: the kernel writes at most `size` bytes, to a variable of that size.
    let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &size) == 0
      }
    }
    let path = unsafe withUnsafeBytes(of: address.sun_path) { unsafe Array($0.prefix { $0 != 0 }) }
    return isKnown && !path.isEmpty ? String(validating: path, as: UTF8.self) : nil
  }

  private static func option(_ option: Int32, of descriptor: Int32) throws(SystemError) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    // `unsafe`: the kernel writes one number, to a variable of that type.
    try systemCall("getsockopt", "LISTEN_FDS") { unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) }
    return value
  }
}
