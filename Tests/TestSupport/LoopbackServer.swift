import Foundation
import GatehouseBase
package import GatehouseHTTP
import GatehouseQueues
package import GatehouseTesting
import Glibc

/// A small HTTP server on this machine, on a port that was free: one request a connection.
///
/// On threads of its own, for they block. It ends when it is let go; each connection ends with its client.
package final class LoopbackServer: Sendable {
  /// What it does with a request.
  package enum Behavior: Sendable {
    case like(HTTPTransportContract.Behavior)
    /// Sends these bytes and closes.
    case raw(String)
    /// Sends these bytes and then nothing, as long as the client stays.
    case stalls(after: String)
    /// Sends these bytes and then four mebibytes more, and waits for the client to go.
    case floods(after: String)
    /// Sends these bytes and then a letter each 20 ms, as long as the client stays.
    case drips(after: String)
    /// Opens a tunnel, as a proxy does, and is itself what is behind it.
    case tunnels
  }

  package let port: UInt16
  private let listener: Int32
  private let book: Book

  package struct Failure: Error { let call: String }

  package init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard listener >= 0 else { throw Failure(call: "socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure(call: "bind") }
    port = UInt16(bigEndian: address.sin_port)
    let book = Book(origin: "http://127.0.0.1:\(port)")
    self.listener = listener
    self.book = book
    Thread.detachNewThread { Self.accept(on: listener, book) }
  }

  /// Its address, without a slash at its end.
  package var url: String { book.origin }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }  // the accepting thread closes it

  /// Makes it do something at a path from now on, and answers the whole address.
  @discardableResult
  package func serve(_ path: String, _ behavior: Behavior) -> String {
    book.behaviors.withLock { $0[path] = behavior }
    return book.origin + path
  }

  /// What it does at each path that has no behavior of its own.
  package func serveEverywhere(_ behavior: Behavior) { book.behaviors.withLock { $0[""] = behavior } }

  /// What it was asked, in order.
  package var received: [TransportRequest] { book.received.withLock { $0 } }

  /// Returns when a client has left before it had its whole answer.
  package func waitForDeparture() async {
    await withCheckedContinuation { waiter in
      let hasLeft = book.departures.withLock { state in
        if state.count > 0 { return true }
        state.waiters.append(waiter)
        return false
      }
      if hasLeft { waiter.resume() }
    }
  }

  /// An address at which there is no server.
  package static func vacantURL() throws -> String {
    let port = try LoopbackServer().port
    return "http://127.0.0.1:\(port)/"
  }

  /// What the threads of the connections share with the server.
  private final class Book: Sendable {
    struct Departures: Sendable {
      var count = 0
      var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let origin: String
    let behaviors = Lock<[String: Behavior]>([:])
    let received = Lock<[TransportRequest]>([])
    let departures = Lock(Departures())

    init(origin: String) { self.origin = origin }

    func noteDeparture() {
      let waiters = departures.withLock { state in
        state.count += 1
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  private static func accept(on listener: Int32, _ book: Book) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 || errno == EINTR else { break }
      guard descriptor >= 0 else { continue }
      let connection = Connection(descriptor)
      Thread.detachNewThread {
        answer(connection, book)
        connection.close()
      }
    }
    close(listener)
  }

  private static func answer(_ connection: Connection, _ book: Book) {
    guard let request = connection.readRequest(origin: book.origin) else { return }
    book.received.withLock { $0.append(request) }
    let path = String(request.url.dropFirst(book.origin.count))
    switch book.behaviors.withLock({ $0[path] ?? $0[""] }) ?? .like(.answers(404)) {
    case .like(.answers(let status, let headers, let body)):
      let fields = headers.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
      let length = status == 204 || status == 304 ? "" : "Content-Length: \(body.count)\r\n"
      let head = "HTTP/1.1 \(status) Status\r\n\(fields)\(length)Connection: close\r\n\r\n"
      _ = connection.send(Array(head.utf8) + body)
    case .like(.isSilent):
      connection.waitForEnd()
      book.noteDeparture()
    case .raw(let text): _ = connection.send(Array(text.utf8))
    case .stalls(let text):
      _ = connection.send(Array(text.utf8))
      connection.waitForEnd()
      book.noteDeparture()
    case .floods(let text):
      _ = connection.send(Array(text.utf8))
      if connection.send(Array(repeating: UInt8(ascii: "x"), count: 4 << 20)) { connection.waitForEnd() }
      book.noteDeparture()
    case .drips(let text):
      var next = Array(text.utf8)
      while connection.send(next) {
        // A slow peer is what is tried. The pause paces its bytes; no test counts them, or waits for it.
        Thread.sleep(forTimeInterval: 0.02)
        next = [UInt8(ascii: "x")]
      }
      book.noteDeparture()
    case .tunnels: if connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) { answer(connection, book) }
    }
  }
}
