import GatehouseBase
import IdentityToolkit

/// Finds the rows of a CSV file (RFC 4180), as Firebase's tools write it.
///
/// A quote that is never closed would take all rows after it. Such a row ends at its first line end, so that it costs
/// no other.
///
/// A name may go on over lines, and its user may choose one whose second line would be an account. No line within a
/// column with right quotes is read as a row: such a row is refused as a whole.
struct CSVRows: RowSplitter {
  static let longest = 64 << 10
  private var isAtBeginning = true

  mutating func next(in bytes: [UInt8], from start: Int, isEnd: Bool) throws(AuthError) -> RowSplit {
    if isAtBeginning {
      guard bytes.count - start >= 3 || isEnd else { return .more(from: start) }
      isAtBeginning = false
      try Self.refuseJSON(bytes[start...])
      // A byte order mark, which spreadsheets add.
      if bytes[start...].starts(with: [0xEF, 0xBB, 0xBF]) { return .nothing(end: start + 3) }
    }
    guard start < bytes.count else { return isEnd ? .end : .more(from: start) }
    let row = CSVRow(bytes, from: start)
    if row.isClosed, row.end < bytes.count || isEnd {
      if Self.hasRowWithin(bytes, start..<row.end) {
        // With right quotes, two rows that each lack one look like a name that was made so.
        guard !row.isStrict else {
          return .row(
            Self.trimmed(bytes, start..<row.end), fault: "a line within its quotes is an account by itself; mend it",
            end: min(row.end + 1, bytes.count))
        }
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        return .row(
          Self.trimmed(bytes, start..<end), fault: "its quotes do not match: another account begins within it",
          end: end + 1)
      }
      let text = Self.trimmed(bytes, start..<row.end)
      let end = min(row.end + 1, bytes.count)
      return text.isEmpty ? .nothing(end: end) : .row(text, end: end)
    }
    guard isEnd || bytes.count - start > Self.longest else { return .more(from: start) }
    let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    return .row(
      Self.trimmed(bytes, start..<end), fault: "a quote is not closed, or the row is longer than 64 KiB",
      end: min(end + 1, bytes.count))
  }

  /// Refuses a file of the other format as a whole: each of its lines would be a row that is no account. The lines of
  /// CSV begin with a user's identifier.
  private static func refuseJSON(_ bytes: ArraySlice<UInt8>) throws(AuthError) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
    var signs = text.lazy.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.makeIterator()
    switch (signs.next(), signs.next()) {
    case (UInt8(ascii: "{"), UInt8(ascii: "\"")), (UInt8(ascii: "["), UInt8(ascii: "{")):
      throw AuthError(.invalidArgument, "the file is JSON, and was to be read as CSV; name its format")
    default: break
    }
  }

  /// Whether a line of a row is an account by itself: two rows may each lack a quote, so that all between them seems to
  /// be one. A name may go on over lines.
  private static func hasRowWithin(_ bytes: [UInt8], _ row: Range<Int>) -> Bool {
    var lines = 0
    var from = row.lowerBound
    while lines < 64, let end = bytes[from..<row.upperBound].firstIndex(of: UInt8(ascii: "\n")) {
      from = end + 1
      lines += 1
      let line = bytes[from..<row.upperBound].prefix { $0 != UInt8(ascii: "\n") }
      if ImportedAccount.isAccount(CSVRow(Array(line), from: 0).fields) { return true }
    }
    return false
  }

  /// Returns a row's range without the carriage return of its line end.
  private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    guard let last = bytes[range].last, last == UInt8(ascii: "\r") else { return range }
    return range.lowerBound..<range.upperBound - 1
  }
}

/// The columns of one row.
struct CSVRow: Sendable {
  private(set) var fields: [String] = []
  /// The index of the line end after the row, or the number of bytes.
  private(set) var end: Int
  /// Whether the last quoted column has its closing quote.
  private(set) var isClosed = true
  /// Whether every quote is where the format has one: around a column, or doubled within it.
  private(set) var isStrict = true

  /// The column with custom claims. Firebase's tools do not double the quotes there that JSON has escaped.
  private static let claims = 27

  init(_ bytes: [UInt8], from start: Int) {
    end = start
    while true {
      field(bytes)
      guard end < bytes.count, bytes[end] == UInt8(ascii: ",") else { return }
      end += 1
    }
  }

  /// Reads a column, up to the comma or the line end after it.
  private mutating func field(_ bytes: [UInt8]) {
    let first = end
    while end < bytes.count, bytes[end] == 0x20 { end += 1 }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
      while end < bytes.count, !Self.endsField(bytes[end]) { end += 1 }
      if bytes[first..<end].contains(UInt8(ascii: "\"")) { isStrict = false }
      return add(bytes[first..<end])
    }
    end += 1
    var text: [UInt8] = []
    while end < bytes.count {
      let byte = bytes[end]
      guard byte == UInt8(ascii: "\"") else {
        text.append(byte)
        end += 1
        continue
      }
      let run = bytes[end...].prefix { $0 == UInt8(ascii: "\"") }.count
      let after = end + run
      end = after
      if run.isMultiple(of: 2) {
        text += repeatElement(byte, count: run / 2)
      } else if fields.count == Self.claims, text.last == UInt8(ascii: "\\") {
        text += repeatElement(byte, count: run / 2 + 1)
      } else {
        text += repeatElement(byte, count: run / 2)
        let next = bytes[after...].firstIndex { $0 != 0x20 && $0 != UInt8(ascii: "\r") }
        guard let next, !Self.endsField(bytes[next]) else {
          end = next ?? bytes.count
          fields.append(String(decoding: text, as: UTF8.self))
          return
        }
        // A quote that was not doubled.
        isStrict = false
        text.append(byte)
      }
    }
    isClosed = false
    fields.append(String(decoding: text, as: UTF8.self))
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == UInt8(ascii: "\r") }
    let text = bytes.drop(while: isSpace)
    let last = text.lastIndex { !isSpace($0) }
    fields.append(String(decoding: last.map { text[...$0] } ?? [], as: UTF8.self))
  }

  private static func endsField(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") }
}
