import GatehouseBase
import GatehouseHTTP
import Glibc
import HangGuard

/// One client's connection to a `LoopbackServer`. Every call has an end, as the peer may hang.
struct Connection {
  private let descriptor: Int32

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var patience = timeval(tv_sec: Watchdog.seconds, tv_usec: 0)
    // `unsafe`: both options take a `timeval`, and this is one.
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  func close() {
    shutdown(descriptor, Int32(SHUT_WR))
    Glibc.close(descriptor)
  }

  /// Whether all bytes could be sent.
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // `unsafe`: the buffer holds the count that is passed.
      let sent = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Returns when the client has gone.
  func waitForEnd() { while receive() != nil {} }

  /// A request with its body, if the client sends one that can be understood.
  func readRequest(origin: String) -> TransportRequest? {
    var bytes: [UInt8] = []
    let blank = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: blank) == nil {
      guard bytes.count < 1 << 20, let more = receive() else { return nil }
      bytes += more
      guard bytes.first != 22 else { return nil }  // a TLS handshake
    }
    guard let end = bytes.firstRange(of: blank) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
    let first = lines.first?.split(separator: " ") ?? []
    guard first.count == 3, let method = Self.method(first[0]) else { return nil }
    var headers: TransportHeaders = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count == 2 { headers.add(parts[0], String(parts[1].drop { $0 == " " })) }
    }
    var body = Array(bytes[end.upperBound...])
    let length = headers["Content-Length"].flatMap { Int($0) } ?? 0
    while body.count < length {
      guard let more = receive() else { return nil }
      body += more
    }
    return TransportRequest(method, origin + first[1], headers: headers, body: body.isEmpty ? nil : body)
  }

  /// A proxy's client asks for a tunnel by a method that no other request has. It counts as a GET.
  private static func method(_ name: Substring) -> TransportRequest.Method? {
    name == "CONNECT" ? .get : TransportRequest.Method(rawValue: String(name))
  }

  /// What comes next; `nil` at the end.
  private func receive() -> [UInt8]? {
    var buffer = Array(repeating: UInt8(0), count: 4096)
    // `unsafe`: the buffer holds the count that is passed.
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }
}
