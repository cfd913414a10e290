import GatehouseBase
import Glibc

/// A connection to a server's Unix socket, for one request and its answer. Every call blocks its thread, at most until
/// the connection's deadline (`.timedOut`).
package struct UnixStream: ~Copyable {
  private let descriptor: Int32
  private let path: String
  /// The time on the monotonic clock, in nanoseconds.
  private let deadline: Int64

  /// Connects to the socket at a path.
  ///
  /// - Parameter patience: the maximum time for all calls together, in seconds.
  package init(_ path: String, patience: Double) throws(SystemError) {
    self.path = path
    deadline = SystemTime.monotonic + Int64(min(max(patience, 0), 1e6) * 1e9)
    descriptor = try Self.connected(to: path, until: deadline)
  }

  deinit { close(descriptor) }

  private static func connected(to path: String, until deadline: Int64) throws(SystemError) -> Int32 {
    let address = try UnixSocketAddress(Array(path.utf8), path)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = try systemCall("socket", path) { socket(AF_UNIX, kind, 0) }
    while true {
      do throws(SystemError) {
        // `unsafe`: the kernel reads the address, whose length is passed.
        try systemCall("connect", path) { unsafe address.withPointer { unsafe connect(descriptor, $0, $1) } }
        return descriptor
      } catch {
        // The server has not accepted earlier connections yet. The kernel does not report when there is room.
        if error.number == .wouldWait, SystemTime.monotonic < deadline {
          usleep(10_000)
          continue
        }
        close(descriptor)
        throw error.number == .wouldWait ? SystemError(call: "connect", path: path, number: .timedOut) : error
      }
    }
  }

  /// Sends all bytes.
  package borrowing func send(_ bytes: [UInt8]) throws(SystemError) {
    var sent = 0
    while sent < bytes.count {
      sent += try waiting(for: POLLOUT) { () throws(SystemError) in
        try systemCall("send", path) {
          // `unsafe`: the pointer is only used during this call, and the kernel reads at most the count of the rest.
          unsafe bytes[sent...].withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        }
      }
    }
  }

  /// Receives until the server closes the connection; returns `nil` if there are more than `limit` bytes.
  package borrowing func receiveAll(limit: Int) throws(SystemError) -> [UInt8]? {
    var received: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16 << 10)
    while received.count <= limit {
      let count = try waiting(for: POLLIN) { () throws(SystemError) in
        try systemCall("recv", path) {
          // `unsafe`: the pointer is only used during this call, and the kernel writes at most the buffer's count.
          unsafe part.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        }
      }
      if count == 0 { return received }
      received += part.prefix(count)
    }
    return nil
  }

  /// Repeats a call that would have blocked, after waiting until the connection is ready.
  private borrowing func waiting(for event: Int32, _ call: () throws(SystemError) -> Int) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) { return try call() } catch { guard error.number == .wouldWait else { throw error } }
      let rest = deadline - SystemTime.monotonic
      guard rest > 0 else { throw timeout }
      var asked = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      // `unsafe`: the kernel accesses one `pollfd`, a variable of that type.
      try systemCall("poll", path) { unsafe poll(&asked, 1, Int32(clamping: rest / 1_000_000 + 1)) }
    }
  }

  private var timeout: SystemError { SystemError(call: "poll", path: path, number: .timedOut) }
}
