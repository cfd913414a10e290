extension Sequence<UInt8> {
  /// The bytes without the byte order mark that some editors put before UTF-8 text. JSON has none, and a reader may
  /// ignore it (RFC 8259 §8.1).
  package var withoutByteOrderMark: ArraySlice<UInt8> {
    let bytes = Array(self)
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }
}
