import CGatehouseBytes

/// Base64 with the URL alphabet and without padding (RFC 4648 §5), in canonical form only.
public enum Base64URL {
  /// Encodes bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: encodedBytes(bytes), as: UTF8.self)
  }

  /// Encodes bytes as ASCII.
  public static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    append(Array(bytes).span, to: &output)
    return output
  }

  /// Encodes bytes as ASCII and appends the result.
  public static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: encodedCount(bytes.count)))
    var letters = output.mutableSpan
    // `unsafe`: the C code writes 4 characters for every 3 bytes; the buffer has room for all of them.
    var read = unsafe letters.withUnsafeMutableBufferPointer { letters in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard let from = bytes.baseAddress, let to = letters.baseAddress else { return 0 }
        return unsafe gatehouse_base64url_encode(from, bytes.count, to + start)
      }
    }
    let alphabet = alphabet.span
    var offset = start + read / 3 * 4
    while read + 3 <= bytes.count {
      let block = UInt32(bytes[read]) << 16 | UInt32(bytes[read + 1]) << 8 | UInt32(bytes[read + 2])
      letters[offset] = alphabet[Int(block >> 18)]
      letters[offset + 1] = alphabet[Int(block >> 12 & 63)]
      letters[offset + 2] = alphabet[Int(block >> 6 & 63)]
      letters[offset + 3] = alphabet[Int(block & 63)]
      offset += 4
      read += 3
    }
    guard read < bytes.count else { return }
    let hasSecond = read + 1 < bytes.count
    let block = UInt32(bytes[read]) << 16 | (hasSecond ? UInt32(bytes[read + 1]) << 8 : 0)
    letters[offset] = alphabet[Int(block >> 18)]
    letters[offset + 1] = alphabet[Int(block >> 12 & 63)]
    if hasSecond { letters[offset + 2] = alphabet[Int(block >> 6 & 63)] }
  }

  /// The length of the encoding of `count` bytes, in characters: 0 for a negative count, and never more than `Int.max`.
  public static func encodedCount(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    guard count <= .max / 4 * 3 else { return .max }
    return count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  // MARK: Decoding

  /// Decodes text; throws `base64Malformed` for every encoding but the canonical one.
  ///
  /// Rejects padding, white space, `+`, `/`, a single last character and nonzero unused bits. Otherwise one token would
  /// have many encodings, and a list of revoked tokens would miss most of them.
  public static func decode(_ text: String) throws -> [UInt8] { try bytes(of: text.utf8.span) }

  /// Decodes ASCII text, as strictly as `decode(_: String)`.
  public static func decode(_ text: [UInt8]) throws -> [UInt8] { try bytes(of: text.span) }

  /// Decodes ASCII text, as strictly as `decode(_: String)`.
  public static func decode(_ text: Span<UInt8>) throws -> [UInt8] { try bytes(of: text) }

  package static func bytes(of text: String) throws(AuthError) -> [UInt8] { try bytes(of: text.utf8.span) }

  package static func bytes(of text: [UInt8]) throws(AuthError) -> [UInt8] { try bytes(of: text.span) }

  package static func bytes(of text: Span<UInt8>) throws(AuthError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: roomForDecoding(text.count))
    let count = try decode(text, into: &bytes)
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The buffer size that `decode(_:into:)` needs for `count` characters, in bytes.
  package static func roomForDecoding(_ count: Int) -> Int { count / 4 * 3 + 8 }

  /// Decodes ASCII text into the front of `bytes`, which must have `roomForDecoding`; returns the number of bytes.
  package static func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) throws(AuthError) -> Int {
    precondition(bytes.count >= roomForDecoding(text.count), "the buffer is too small for the decoded bytes")
    // `unsafe`: the buffer's size was checked above.
    let seen = unsafe bytes.withUnsafeMutableBytes { unsafe decode(text, to: $0) }
    try seen.check(text)
    return seen.count
  }

  /// The findings of a decoding pass, checked once at the end.
  private struct Seen {
    /// The number of decoded bytes.
    var count = 0
    /// All blocks, combined by OR: a bit above the lower 24 is set if a character was not in the alphabet.
    var blocks: UInt32 = 0
    /// The unused bits of the last character.
    var spare: UInt32 = 0

    func check(_ text: Span<UInt8>) throws(AuthError) {
      guard text.count % 4 != 1 else {
        throw AuthError(.base64Malformed, "invalid base64url length: one character is left over")
      }
      guard blocks < 1 << 24 else {
        throw AuthError(.base64Malformed, "invalid character in base64url: only letters, digits, - and _ are allowed")
      }
      guard spare == 0 else {
        throw AuthError(.base64Malformed, "non-canonical base64url: the unused bits of the last character are not zero")
      }
    }
  }

  /// Decodes into the front of a buffer that has `roomForDecoding`.
  ///
  /// `unsafe`: reads the characters in bounds. Writes up to four bytes past the decoded ones, which later writes
  /// replace; `roomForDecoding` includes them. Bounds checks would make this three times as slow.
  private static func decode(_ text: Span<UInt8>, to output: UnsafeMutableRawBufferPointer) -> Seen {
    unsafe text.withUnsafeBytes { text in
      unsafe blocks.withUnsafeBufferPointer { blocks in
        var seen = Seen()
        // Decodes most of the text if the processor has the instructions.
        var read = unsafe front(of: text, to: output, &seen)
        while read < text.count {
          let left = text.count &- read
          let third = left > 2 ? unsafe blocks[512 &+ Int(text[read &+ 2])] : 0
          let fourth = left > 3 ? unsafe blocks[768 &+ Int(text[read &+ 3])] : 0
          let second = left > 1 ? unsafe blocks[256 &+ Int(text[read &+ 1])] : 0
          let block = unsafe blocks[Int(text[read])] | second | third | fourth
          seen.blocks |= block
          unsafe output.storeBytes(of: (block << 8).bigEndian, toByteOffset: seen.count, as: UInt32.self)
          read &+= 4
          seen.count &+= min(left, 4) &- 1
          if left < 4 { seen.spare = block & (left == 3 ? 0xFF : 0xFFFF) }
        }
        return seen
      }
    }
  }

  /// Decodes as much as the C code does; returns the number of characters, a multiple of four.
  private static func front(
    of text: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer, _ seen: inout Seen
  ) -> Int {
    guard let from = text.baseAddress, let to = output.baseAddress else { return 0 }
    var isMalformed = false
    // `unsafe`: see `decode(_:to:)`.
    let read = unsafe gatehouse_base64url_decode(from, text.count, to, &isMalformed)
    seen.count = read / 4 * 3
    if isMalformed { seen.blocks = 1 << 31 }
    return read
  }

  /// The bits that each character adds to a block of 24, as the first to the fourth of a block. The highest bit is set
  /// for characters outside the alphabet.
  private static let blocks: [UInt32] = {
    var table = Array(repeating: UInt32(1) << 31, count: 1024)
    for sextet in 0..<64 {
      for index in 0..<4 { table[256 * index + Int(alphabet[sextet])] = UInt32(sextet) << UInt32(18 - 6 * index) }
    }
    return table
  }()
}
