import Foundation
import Glibc

/// Connections to a Unix socket that stay open. Each has one request under way at most. One thread serves all.
final class KeptConnections {
  private struct Connection {
    let descriptor: Int32
    var begin: UInt64 = 0
    var received: [UInt8] = []
  }

  private var connections: [Connection] = []
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  init(path: String, count: Int) throws {
    for _ in 0..<count {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
        guard path.utf8.count < place.count else { return false }
        place.copyBytes(from: path.utf8)
        return true
      }
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard fits, connected == 0 else { throw BenchFailure(description: "no connection to \(path): errno \(errno)") }
      connections.append(Connection(descriptor: descriptor))
    }
  }

  deinit { for connection in connections { close(connection.descriptor) } }

  /// Sends one request on each connection. Does not wait for the answers.
  func send(_ request: (_ connection: Int) -> String) throws {
    for index in connections.indices { try send(Array(request(index).utf8), on: index) }
  }

  /// Waits for one answer on each connection, and returns their statuses.
  func statuses() throws -> [Int] {
    var statuses: [Int] = []
    try serve(while: { statuses.count < connections.count }) { _, status, _ in
      statuses.append(status)
      return false
    }
    return statuses
  }

  /// Sends the request again and again on every connection for a time.
  ///
  /// - Returns: the answers a second, and how long each has taken, in seconds and in order.
  func run(_ request: String, seconds: Double) throws -> (rate: Double, times: [Double]) {
    let bytes = Array(request.utf8)
    let begin = Self.now
    let end = begin + UInt64(seconds * 1e9)
    var times: [Double] = []
    var open = connections.count
    for index in connections.indices { try send(bytes, on: index) }
    try serve(while: { open > 0 }) { [self] index, status, time in
      guard status == 200 else { throw BenchFailure(description: "an answer has the status \(status)") }
      times.append(time)
      if Self.now < end {
        try send(bytes, on: index)
        return true
      }
      open -= 1
      return false
    }
    return (Double(times.count) / (Double(Self.now - begin) / 1e9), times.sorted())
  }

  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private func send(_ bytes: [UInt8], on index: Int) throws {
    connections[index].begin = Self.now
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          connections[index].descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw BenchFailure(description: "a request could not be sent: errno \(errno)") }
      sent += count
    }
  }

  /// Receives answers.
  ///
  /// - Parameter answered: called with the connection, the status and the seconds since the request was sent. Returns
  ///   whether another answer is expected there.
  private func serve(while goesOn: () -> Bool, answered: (Int, Int, Double) throws -> Bool) throws {
    var polls = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while goesOn() {
      guard poll(&polls, nfds_t(polls.count), 60_000) > 0 else { throw BenchFailure(description: "no answer in 60 s") }
      for index in polls.indices where polls[index].revents != 0 {
        let count = recv(connections[index].descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw BenchFailure(description: "a connection was closed: errno \(errno)") }
        connections[index].received += buffer[..<count]
        guard let status = Self.status(ofWhole: connections[index].received) else { continue }
        connections[index].received.removeAll(keepingCapacity: true)
        if try !answered(index, status, Double(Self.now - connections[index].begin) / 1e9) { polls[index].fd = -1 }
      }
    }
  }

  /// The status of an answer; `nil` if it has not arrived as a whole.
  private static func status(ofWhole bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard let end = offset(after: "\r\n\r\n", in: bytes, from: 0),
        var index = offset(after: "ontent-Length: ", in: bytes, from: 0)
          ?? offset(after: "ontent-length: ", in: bytes, from: 0)
      else { return nil }
      var length = 0
      while index < end, (0x30...0x39).contains(bytes[index]) {
        length = length * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      guard bytes.count >= end + length else { return nil }
      return (9..<12).reduce(0) { $0 * 10 + Int(bytes[$1] &- 0x30) }
    }
  }

  /// The offset of what comes after a text; `nil` if the text is not there.
  private static func offset(after text: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let count = text.utf8CodeUnitCount
    guard let base = bytes.baseAddress, bytes.count >= count else { return nil }
    for offset in start...(bytes.count - count) where memcmp(base + offset, text.utf8Start, count) == 0 {
      return offset + count
    }
    return nil
  }
}
