import Foundation
import Glibc

/// A server on loopback that answers every request on a connection with the same few bytes, and keeps it open: one
/// thread a connection. It does as little as can be, so that the client is what is measured.
final class SmallServer: Sendable {
  let url: String
  private let listener: Int32

  private static let answer = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"expiresIn\":60}\n".utf8)

  init() {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 256) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    precondition(isBound, "no port is free")
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        var one: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        Thread.detachNewThread { Self.serve(connection) }
      }
    }
  }

  /// The clients send a request in one piece or in two, and never the next one before the answer.
  private static func serve(_ connection: Int32) {
    defer { close(connection) }
    let blank = Array("\r\n\r\n".utf8)
    var request: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += buffer.prefix(count)
      guard request.suffix(4) == blank[...] else { continue }
      request = []
      guard send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return }
    }
  }
}
