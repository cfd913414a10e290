import Glibc

/// A pipe that ends another thread's wait for input.
package final class WakePipe: Sendable {
  let reading: Int32
  private let writing: Int32

  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two descriptors, for which there is room.
    try systemCall("pipe", "") { unsafe pipe(&ends) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Ends the wait, now and later. A full pipe has been woken already.
  package func wake() {
    var byte: UInt8 = 0
    // `unsafe`: the kernel reads the one byte.
    _ = unsafe write(writing, &byte, 1)
  }
}
