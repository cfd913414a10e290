import Glibc

extension OpenFile {
  /// Reads from the current offset to the end; returns `nil` if there are more than `limit` bytes.
  package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
    // One byte more than the file's size: the read that detects the end needs room. Files in `/proc` report a size of
    // 0.
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
    // `unsafe`: the pointer is only used during this call, and the kernel writes at most the count of the rest.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
      return unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
    }
  }

  /// Reads up to `count` bytes from an offset on; returns fewer at the file's end.
  package borrowing func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    guard let offset = Int(exactly: offset) else { return [] }
    var bytes = [UInt8](repeating: 0, count: max(count, 0))
    var filled = 0
    while filled < bytes.count {
      let count = try systemCall("pread", path) {
        // `unsafe`: the pointer is only used during this call, and the kernel writes at most the count of the rest.
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

  /// Writes all bytes from an offset on. The current offset stays.
  package borrowing func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try systemCall("pwrite", path) {
        // `unsafe`: the pointer is only used during this call, and the kernel reads at most the count of the rest.
        unsafe bytes[written...].withUnsafeBytes {
          unsafe pwrite(descriptor, $0.baseAddress, $0.count, offset + written)
        }
      }
    }
  }

  /// Writes all bytes at the current offset.
  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try systemCall("write", path) {
        // `unsafe`: the pointer is only used during this call, and the kernel reads at most the count of the rest.
        unsafe bytes[written...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
    }
  }
}
