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
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The first byte of an abstract name is zero, and none ends it.
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    let name = isAbstract ? [0] + bytes.dropFirst() : bytes
    // `unsafe`, here and below: what is written and read has the length that is checked or passed.
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard name.count < room else { throw SystemError(call: "connect", path: path, number: .invalid) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (isAbstract ? 0 : 1))
    let descriptor = try systemCall("socket", path) {
      socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }
    defer { close(descriptor) }
    let message = Array(state.utf8)
    try systemCall("sendto", path) {
      unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
        }
      }
    }
  }
}
