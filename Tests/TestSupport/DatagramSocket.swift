import Glibc

/// A Unix socket that takes datagrams, as a service manager has one.
package final class DatagramSocket: Sendable {
  private let descriptor: Int32

  package struct Failure: Error {}

  /// - Parameter name: its path; one that begins with `@` is an abstract name.
  package init(_ name: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = name.hasPrefix("@")
    let bytes = isAbstract ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    guard result == 0 else {
      close(descriptor)
      throw Failure()
    }
  }

  deinit { close(descriptor) }

  /// The next datagram; `nil` if none has come. Does not wait.
  package func next() -> String? { receive(Int32(MSG_DONTWAIT)) }

  /// Returns the next datagram. Blocks until one comes; `nil` after `end()`.
  package func wait() -> String? { receive(0) }

  /// Ends `wait()`, once it has returned what has come.
  package func end() { shutdown(descriptor, Int32(SHUT_RD)) }

  private func receive(_ flags: Int32) -> String? {
    var buffer = [UInt8](repeating: 0, count: 200)
    let count = unsafe recv(descriptor, &buffer, buffer.count, flags)
    return count <= 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
