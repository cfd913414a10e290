import GatehouseBase
import GatehouseCrypto
import GatehouseSystem

/// A list of leaked passwords: a file of sorted lines, of any size. A new password that is in the list is refused as
/// `.weakPassword`.
///
/// The file is one of these:
/// - SHA-1 hashes in hexadecimal, uppercase or lowercase, each alone or followed by `:COUNT`, in the order of the
///   hashes: the single-file format of the Have I Been Pwned downloader.
/// - Plain passwords, one per line, sorted by their bytes (`LC_ALL=C sort -u`).
///
/// A lookup uses binary search: it reads about forty blocks of 8 KiB of a 40 GB file, and keeps nothing in memory.
public struct LeakedPasswords: Sendable {
  /// The file, as it was passed.
  public let file: String
  private let isHashed: Bool

  /// Opens a list. Blocks: reads a thousand lines to check that the file is sorted.
  ///
  /// - Throws: `.invalidArgument` for a file that is not sorted, empty, or has a line of more than 8 KiB;
  ///   `.providerUnavailable` for a file that cannot be read.
  public init(file: String) throws {
    self.file = file
    let opened = try SortedLines.open(file)
    guard let first = try opened.line(at: 0) else {
      throw AuthError(.invalidArgument, "\(file) is empty; a list of leaked passwords has a line at least")
    }
    isHashed = Self.hash(of: first.bytes) != nil
    var last: [UInt8] = []
    for step in 0..<1000 {
      guard let line = try opened.line(at: opened.size * step / 1000) else { break }
      guard let key = key(line.bytes) else {
        throw AuthError(.invalidArgument, "\(file) has a line without a SHA-1 hash, and begins with one")
      }
      guard !key.lexicographicallyPrecedes(last) else {
        throw AuthError(.invalidArgument, "\(file) is not sorted by bytes; run: LC_ALL=C sort -u")
      }
      last = key
    }
  }

  /// Whether a password is in the list. Blocks.
  func contains(_ password: [UInt8]) throws(AuthError) -> Bool {
    let wanted = isHashed ? try LegacyHash.sha1.hash(password) : password
    let lines = try SortedLines.open(file)
    var (low, high) = (0, lines.size)
    // If the line of `wanted` exists, it begins at or after `low`, and before `high`.
    while low < high {
      let middle = low + (high - low) / 2
      guard let line = try lines.line(at: middle), line.start < high, let key = key(line.bytes) else {
        high = middle
        continue
      }
      if key == wanted { return true }
      if key.lexicographicallyPrecedes(wanted) { low = line.end } else { high = middle }
    }
    return false
  }

  /// Returns the sort key of a line; `nil` for a line that does not belong in the file.
  private func key(_ line: [UInt8]) -> [UInt8]? { isHashed ? Self.hash(of: line) : line }

  /// Returns the hash at the beginning of a line, alone or before a colon.
  private static func hash(of line: [UInt8]) -> [UInt8]? {
    guard line.count >= 40, line.count == 40 || line[40] == UInt8(ascii: ":") else { return nil }
    var hash: [UInt8] = []
    for index in stride(from: 0, to: 40, by: 2) {
      guard let high = digit(line[index]), let low = digit(line[index + 1]) else { return nil }
      hash.append(high << 4 | low)
    }
    return hash
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// A file of lines, read one block at a time.
private struct SortedLines: ~Copyable {
  /// A line, its start offset, and the start offset of the next line.
  struct Line {
    let bytes: [UInt8]
    let start: Int
    let end: Int
  }

  let size: Int
  private let path: String
  private let file: OpenFile
  private static let block = 8192

  private init(_ file: consuming OpenFile, _ size: Int, _ path: String) {
    self.size = size
    self.path = path
    self.file = file
  }

  static func open(_ path: String) throws(AuthError) -> SortedLines {
    SlowWork.begins(.file)
    let file = try reading(path) { () throws(SystemError) in try OpenFile(path) }
    let size = try reading(path) { () throws(SystemError) in try file.status().size }
    return SortedLines(file, size, path)
  }

  private static func reading<T: ~Copyable>(
    _ path: String, _ body: () throws(SystemError) -> T
  ) throws(AuthError) -> T {
    do throws(SystemError) { return try body() } catch {
      throw AuthError(.providerUnavailable, "the list of leaked passwords, \(path), cannot be read: \(error)")
    }
  }

  /// Returns the first line that begins at or after an offset; `nil` after the last line.
  borrowing func line(at offset: Int) throws(AuthError) -> Line? {
    var start = offset
    if offset > 0 {
      guard let end = try lineEnd(from: offset - 1) else { return nil }
      start = end + 1
    }
    guard start < size else { return nil }
    let end = try lineEnd(from: start) ?? size
    var bytes = try read(at: start, count: end - start)
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    return Line(bytes: bytes, start: start, end: end + 1)
  }

  /// Returns the offset of the next line end; `nil` if there is none.
  private borrowing func lineEnd(from offset: Int) throws(AuthError) -> Int? {
    let bytes = try read(at: offset, count: Self.block)
    if let index = bytes.firstIndex(of: UInt8(ascii: "\n")) { return offset + index }
    guard bytes.count < Self.block else {
      throw AuthError(.invalidArgument, "\(path) has a line of more than \(Self.block) bytes")
    }
    return nil
  }

  private borrowing func read(at offset: Int, count: Int) throws(AuthError) -> [UInt8] {
    do throws(SystemError) { return try file.read(at: UInt64(offset), count: count) } catch {
      throw AuthError(.providerUnavailable, "the list of leaked passwords, \(path), cannot be read: \(error)")
    }
  }
}
