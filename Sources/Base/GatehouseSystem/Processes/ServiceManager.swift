import Glibc

/// The program that started this one as a service and wants to hear of its state, as systemd does: `sd_notify(3)`.
package enum ServiceManager {
  /// Tells a state, `READY=1` for one. Does nothing where no manager asks for it, and returns before it has heard.
  ///
  /// - Parameter name: the socket's path; one that begins with `@` is a name that no file has.
  package static func tell(
    _ state: String, at name: [UInt8]? = CurrentProcess.variable("NOTIFY_SOCKET")
  ) throws(SystemError) {
    guard let bytes = name, !bytes.isEmpty else { return }
    let path = String(decoding: bytes, as: UTF8.self)
    // The first byte of an abstract name is zero, and none ends it.
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
