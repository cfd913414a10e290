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
}
