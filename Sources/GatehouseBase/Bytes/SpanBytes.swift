import Glibc

// The library's loops are several times as fast as one byte after the other, and tokens are long.
extension Span<UInt8> {
  /// Where a byte occurs first, at or behind a place.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count else { return nil }
    // `unsafe`: reads from `start` to the end of the buffer, and makes an index of what was found.
    return unsafe withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress, let found = unsafe memchr(base + start, Int32(byte), count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Whether two spans hold the same bytes.
  package func isExactly(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    guard count > 0 else { return true }
    // `unsafe`: both buffers hold so many bytes.
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return false }
        return unsafe memcmp(left, right, count) == 0
      }
    }
  }
}
