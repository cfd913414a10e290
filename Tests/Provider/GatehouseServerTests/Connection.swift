import Foundation
import GatehouseServer
import Glibc
import HangGuard

/// A connection to a server on this machine, which sends any bytes.
///
/// Its calls block: they are for `onThread`.
final class Connection: Sendable {
  private let descriptor: Int32

  struct Failure: Error { let call: String }

  /// - Parameter source: the last byte of the address of 127.0.0.0/24 that the connection comes from.
  init(to address: ServerAddress, from source: UInt32 = 1) throws {
    guard case .host(_, let port) = address else { throw Failure(call: "address") }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    target.sin_port = UInt16(port).bigEndian
    var patience = timeval(tv_sec: Watchdog.seconds, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = (0x7F00_0000 + source).bigEndian
    let bound = unsafe withUnsafePointer(to: &own) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw Failure(call: "bind") }
    let result = unsafe withUnsafePointer(to: &target) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(call: "connect") }
  }

  deinit { close(descriptor) }

  /// Leaves the file of a Unix socket behind, as a server that was killed does.
  static func leaveDeadSocket(at path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: &target) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Failure(call: "bind") }
  }

  /// Sends as much as the server takes.
  ///
  /// - Returns: whether it took everything.
  @discardableResult
  func send(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Says that nothing more comes.
  func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Whether something has come, or the end. Does not wait.
  var hasNews: Bool {
    var byte: UInt8 = 0
    // `unsafe`: the buffer holds the one byte.
    return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) >= 0
  }

  /// What comes until the server closes the connection; `nil` if it does not within five minutes.
  func readToEnd() -> String? {
    var bytes: [UInt8] = []
    while true {
      guard let part = read() else { return nil }
      if part.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += part
    }
  }

  /// What comes until a text is there; `nil` if it does not come.
  func read(until end: String) -> String? {
    var text = ""
    while !text.contains(end) {
      guard let part = read(), !part.isEmpty else { return nil }
      text += String(decoding: part, as: UTF8.self)
    }
    return text
  }

  /// Some bytes, or none at the end; `nil` if nothing comes.
  private func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { return errno == ECONNRESET ? [] : nil }
    return Array(buffer.prefix(count))
  }
}
