import CGatehouseBytes
import Glibc

// memchr and memcmp are several times faster than a loop over bytes, and tokens are long.
extension Span<UInt8> {
  /// The first index of a byte at or after `start`.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    guard start < count else { return nil }
    // `unsafe`: reads from `start` to the end of the buffer.
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
    // `unsafe`: both buffers have `count` bytes.
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return false }
        return unsafe memcmp(left, right, count) == 0
      }
    }
  }

  /// Loads eight bytes at `offset`, little-endian; bytes past the end are zero.
  @inline(__always)
  package func word(at offset: Int) -> UInt64 {
    guard offset >= 0, offset &+ 8 <= count else { return lastWord(at: offset) }
    // `unsafe`: the bounds of the eight bytes were checked above.
    return unsafe withUnsafeBytes {
      unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }

  /// Not inlined, so that the loops around `word(at:)` stay small.
  @inline(never)
  private func lastWord(at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for step in 0..<Swift.min(Swift.max(count &- offset, 0), 8) {
      word |= UInt64(self[offset &+ step]) << UInt64(8 &* step)
    }
    return word
  }

  /// Loads up to eight bytes at `offset`, little-endian; bytes past `count` are zero.
  @inline(__always)
  package func word(at offset: Int, count: Int) -> UInt64 {
    // Also loads the bytes past `count`, and masks them.
    count >= 8 ? word(at: offset) : word(at: offset) & (1 &<< UInt64(8 &* count) &- 1)
  }

  /// The number in eight ASCII digits at `offset`; `nil` if one is not a digit.
  @inline(__always)
  package func eightDigits(at offset: Int) -> Int64? {
    let word = word(at: offset)
    let digits = word &- 0x3030_3030_3030_3030
    guard (word &+ 0x4646_4646_4646_4646 | digits) & 0x8080_8080_8080_8080 == 0 else { return nil }
    // Combines the digits into pairs, the pairs into groups of four, and these into the whole number.
    let pairs = (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
    return Int64((fours &* 10_000 &+ fours &>> 32) & 0xFFFF_FFFF)
  }

  /// The number of leading bytes, of the 16 at `offset`, that need no escape in a JSON string. All 16 must be in
  /// bounds.
  @inline(__always)
  func plainLength(at offset: Int) -> Int {
    precondition(offset >= 0 && offset &+ 16 <= count, "reading 16 bytes past the end of the span")
    // `unsafe`: the bounds of the 16 bytes were checked above.
    return unsafe withUnsafeBufferPointer { bytes in
      unsafe bytes.baseAddress.map { unsafe gatehouse_plain_length($0 + offset) } ?? 0
    }
  }

  /// The first index, at or after `start`, of a byte that ends plain text in a JSON string (a quote, a backslash, a
  /// control character, a non-ASCII byte), or the end.
  @inline(__always)
  package func endOfPlainText(from start: Int) -> Int {
    var offset = start
    while offset &+ 16 <= count {
      let length = plainLength(at: offset)
      offset &+= length
      guard length == 16 else { return offset }
    }
    if offset &+ 8 <= count {
      let ends = word(at: offset).endsOfPlainText
      guard ends == 0 else { return offset &+ ends.trailingZeroBitCount / 8 }
      offset &+= 8
    }
    // Bytes past the end are zero, which is a control character.
    return offset &+ word(at: offset).endsOfPlainText.trailingZeroBitCount / 8
  }
}

extension UInt64 {
  /// Finds the first byte that is not plain text in a JSON string, among eight bytes in little-endian order. The lowest
  /// set bit is the highest bit of that byte; zero if all are plain. Higher bits are undefined.
  @inline(__always)
  var endsOfPlainText: UInt64 {
    // Subtracting from a smaller byte sets its highest bit. XOR with 2 moves the quote right after the control
    // characters.
    let controlsAndQuotes = (self ^ 0x0202_0202_0202_0202) &- 0x2121_2121_2121_2121
    let backslashes = (self ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
    return (controlsAndQuotes | backslashes | self) & 0x8080_8080_8080_8080
  }
}

extension String {
  /// Decodes UTF-8; invalid bytes become U+FFFD.
  package init(copying bytes: Span<UInt8>) {
    // `unsafe`: the buffer is read during the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension [UInt8] {
  /// Copies a span's bytes.
  package init(copying bytes: Span<UInt8>) {
    // `unsafe`: the buffer is read during the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a span's bytes.
  package mutating func append(copying bytes: Span<UInt8>) {
    // `unsafe`: the buffer is read during the call.
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
