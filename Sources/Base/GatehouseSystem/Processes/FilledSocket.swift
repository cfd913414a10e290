import GatehouseBase
import Glibc

/// The reading end of a socket that contains bytes, followed by the end of input.
struct FilledSocket: ~Copyable {
  let descriptor: Int32

  init(_ bytes: [UInt8]) throws(SystemError) { descriptor = try Self.filled(with: bytes) }

  private static func filled(with bytes: [UInt8]) throws(SystemError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    var ends: [Int32] = [-1, -1]
    // `unsafe`, here and below: the kernel writes two numbers, and reads one, or the given number of bytes.
    try systemCall("socketpair", "") { unsafe socketpair(AF_UNIX, kind, 0, &ends) }
    defer { close(ends[1]) }
    // The kernel doubles the size for its bookkeeping, and may grant less.
    var room = Int32(clamping: bytes.count + 65536)
    unsafe setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    do throws(SystemError) {
      var written = 0
      while written < bytes.count {
        written += try systemCall("send", "") {
          unsafe bytes[written...].withUnsafeBytes {
            unsafe send(ends[1], $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
          }
        }
      }
    } catch {
      close(ends[0])
      throw error
    }
    return ends[0]
  }

  deinit { close(descriptor) }
}
