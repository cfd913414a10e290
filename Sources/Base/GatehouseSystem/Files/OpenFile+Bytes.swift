import Glibc

extension OpenFile {
  /// The bytes from the present offset to the end; `nil` when they are more than `limit`.
  package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    // One byte more than the file has: the read that finds its end needs room. Files of `/proc` say that they are
    // empty.
    let expected = min(max(try status().size, 0), limit) + 1
    var bytes = [UInt8](repeating: 0, count: expected)
    var filled = 0
    while filled <= limit {
      if filled == bytes.count { bytes += [UInt8](repeating: 0, count: min(64 << 10, limit + 1 - filled)) }
      let count = try systemCall("read", path) { read(into: &bytes, from: filled) }
      if count == 0 {
        bytes.removeLast(bytes.count - filled)
        return bytes
      }
      filled += count
    }
    return nil
  }

  private borrowing func read(into bytes: inout [UInt8], from start: Int) -> Int {
    // `unsafe`: the pointer is used for this call, and the kernel writes at most the rest's count.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
      return unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
    }
  }

  /// Up to `count` bytes from an offset on; fewer at the file's end.
  package borrowing func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    guard let offset = Int(exactly: offset) else { return [] }
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    var filled = 0
    while filled < bytes.count {
      let count = try systemCall("pread", path) {
        // `unsafe`: the pointer is used for this call, and the kernel writes at most the rest's count.
        unsafe bytes.withUnsafeMutableBytes { buffer in
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
          return unsafe pread(descriptor, rest.baseAddress, rest.count, offset + filled)
        }
      }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Writes all bytes at the present offset.
  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try systemCall("write", path) {
        // `unsafe`: the pointer is used for this call, and the kernel reads at most the rest's count.
        unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
    }
  }
}
