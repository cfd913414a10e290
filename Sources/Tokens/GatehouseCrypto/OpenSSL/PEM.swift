import CGatehouseOpenSSL
import GatehouseBase

/// PEM text, and how OpenSSL reads and writes it.
enum PEM {
  /// The maximum length of a text, in bytes. A private RSA key of 8192 bits takes 7 KiB.
  static let limit = 64 << 10

  /// The label of the only block in a text: a few words in ASCII, which a message may quote. The parameters that
  /// OpenSSL writes before an EC key do not count.
  static func label(of text: String) throws(AuthError) -> String {
    guard text.utf8.count <= limit else { throw AuthError(.keyInvalid, "the PEM text is longer than \(limit) bytes") }
    // Anywhere in a line, because OpenSSL breaks long lines, and skips text that it does not know.
    let labels = text.utf8.ranges(of: "-----BEGIN ".utf8)
      .map { text.utf8[$0.upperBound...] }
      .filter { !$0.starts(with: "EC PARAMETERS-----".utf8) }
      .map { $0.prefix { $0 != UInt8(ascii: "-") } }
    guard labels.count == 1 else {
      throw AuthError(.keyInvalid, "expected one PEM block, found \(labels.count)")
    }
    guard labels[0].count <= 64, labels[0].allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw AuthError(.keyInvalid, "invalid PEM label")
    }
    try checkLineBreak(after: labels[0], in: text)
    return String(decoding: labels[0], as: UTF8.self)
  }

  /// Checks that a first line ends. A key that came through an environment variable or a JSON file often has lost its
  /// line breaks, or has them as two characters.
  private static func checkLineBreak(after label: Substring.UTF8View, in text: String) throws(AuthError) {
    let rest = text.utf8[label.endIndex...].drop { $0 == UInt8(ascii: "-") }
    let end = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let next = end.first, next != UInt8(ascii: "\n"), next != UInt8(ascii: "\r") else { return }
    throw AuthError(
      .keyInvalid,
      next == UInt8(ascii: "\\")
        ? "the PEM text has \\n as two characters where it must have line breaks; put line breaks in their place"
        : "the PEM text has no line break after its first line; put its line breaks back")
  }

  /// Reads a key with the given function.
  @safe static func key(in text: String, _ read: (OpaquePointer) -> OpaquePointer?) throws(AuthError) -> PKey {
    let reader = try reader(of: text)
    let key = try PKey(unsafe read(reader.raw), "reading a PEM file")
    // A decoder that succeeds on its second try leaves the first one's errors behind.
    OpenSSL.drain()
    return key
  }

  /// Returns a BIO that reads a text.
  static func reader(of text: String) throws(AuthError) -> Owned {
    let bytes = Array(text.utf8)
    // `unsafe`: C; OpenSSL copies the buffer, and the BIO is freed by its owner.
    let reader = try Owned(unsafe BIO_new(BIO_s_mem()), "reading a PEM file") { unsafe BIO_free_all($0) }
    let written = unsafe bytes.withUnsafeBytes { unsafe BIO_write(reader.raw, $0.baseAddress, Int32($0.count)) }
    guard Int(written) == bytes.count else { throw OpenSSL.failure("reading a PEM file") }
    return reader
  }

  /// Returns the text that `write` writes.
  @safe static func text(_ write: (OpaquePointer) -> Int32) throws(AuthError) -> String {
    // `unsafe`: C; the text is copied out before its owner overwrites and frees it.
    let writer = try Owned(unsafe BIO_new(BIO_s_secmem()), "writing a PEM file") { unsafe BIO_free_all($0) }
    try OpenSSL.check(unsafe write(writer.raw), "writing a PEM file")
    var bytes = Array(repeating: UInt8(0), count: limit)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read(writer.raw, $0.baseAddress, Int32($0.count)) }
    guard count > 0 else { throw OpenSSL.failure("writing a PEM file") }
    return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
  }
}
