import GatehouseBase

/// Finds the elements of the array `users` of a JSON object, or of an array that is the whole file.
///
/// It counts brackets outside of strings, and checks nothing else: whether an element is an account turns out when it
/// is read. An element whose brackets or quotes do not match seems to have no end. It then ends where the next account
/// begins, so that it costs no other. An element that is JSON ends where JSON says, even if a member looks like an
/// account.
struct JSONRows: RowSplitter {
  static let longest = 256 << 10

  private enum Place {
    /// The file's first bracket comes next.
    case beginning
    /// A member of the object comes next.
    case object
    /// An element of the array comes next, or its end.
    case rows
    /// The rest of an element that is too long comes next.
    case rest
    /// The array is over; its object may go on.
    case after
    /// Nothing more is read.
    case done
  }

  private var place = Place.beginning
  private var isInObject = false

  mutating func next(in bytes: [UInt8], from start: Int, isEnd: Bool) throws(AuthError) -> RowSplit {
    switch place {
    case .beginning: try begin(bytes, start, isEnd)
    case .object: try skipMember(bytes, start, isEnd)
    case .rows: row(bytes, start, isEnd)
    case .rest: skipRest(bytes, start, isEnd)
    case .after: try after(bytes, start, isEnd)
    case .done: .end
    }
  }

  private mutating func begin(_ bytes: [UInt8], _ start: Int, _ isEnd: Bool) throws(AuthError) -> RowSplit {
    // A byte order mark, which some editors add.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let first = bytes[start...].starts(with: mark) ? start + mark.count : start
    guard let index = Self.afterSpace(bytes, first) else {
      if isEnd { throw Self.malformed("it is empty") }
      return .more(from: start)
    }
    switch bytes[index] {
    case UInt8(ascii: "{"): (place, isInObject) = (.object, true)
    case UInt8(ascii: "["): place = .rows
    default: throw Self.malformed("it begins with neither { nor [")
    }
    return .nothing(end: index + 1)
  }

  /// Skips a member of the object, up to the array `users`.
  private mutating func skipMember(_ bytes: [UInt8], _ start: Int, _ isEnd: Bool) throws(AuthError) -> RowSplit {
    guard let name = Self.afterSpace(bytes, start) else { return try missing(start, isEnd) }
    switch bytes[name] {
    case UInt8(ascii: ","): return .nothing(end: name + 1)
    case UInt8(ascii: "\""): break
    default: throw Self.malformed("it has no array \"users\"")
    }
    guard let nameEnd = Self.end(of: bytes, name),
      let colon = Self.afterSpace(bytes, nameEnd), let value = Self.afterSpace(bytes, colon + 1)
    else { return try missing(start, isEnd) }
    guard bytes[colon] == UInt8(ascii: ":") else { throw Self.malformed("a name has no colon after it") }
    if bytes[name..<nameEnd].elementsEqual(#""users""#.utf8) {
      guard bytes[value] == UInt8(ascii: "[") else { throw Self.malformed("\"users\" is no array") }
      place = .rows
      return .nothing(end: value + 1)
    }
    guard let end = Self.end(of: bytes, value) else { return try missing(start, isEnd) }
    return .nothing(end: end)
  }

  private func missing(_ start: Int, _ isEnd: Bool) throws(AuthError) -> RowSplit {
    if isEnd { throw Self.malformed("it has no array \"users\"") }
    return .more(from: start)
  }

  private mutating func row(_ bytes: [UInt8], _ start: Int, _ isEnd: Bool) -> RowSplit {
    guard let first = Self.afterSpace(bytes, start) else {
      guard isEnd else { return .more(from: start) }
      place = .done
      return .row(bytes.count..<bytes.count, fault: "the file ends before its array does", end: bytes.count)
    }
    switch bytes[first] {
    case UInt8(ascii: "]"):
      place = .after
      return .nothing(end: first + 1)
    case UInt8(ascii: ","): return .nothing(end: first + 1)
    default: break
    }
    if let end = Self.end(of: bytes, first) {
      // Two rows may each lack a quote, so that all between them seems to be one.
      if let next = Self.nextAccount(in: bytes, first + 1..<end), !Self.isJSON(bytes[first..<end]) {
        return Self.unclosed(bytes, first..<next)
      }
      let after = Self.afterSpace(bytes, end), fault = end - first > Self.longest ? Self.tooLong : nil
      if let after, bytes[after] == UInt8(ascii: ",") || bytes[after] == UInt8(ascii: "]") {
        return .row(first..<end, fault: fault, end: after)
      }
      // That the array has no end is reported after its last row.
      if after == nil, isEnd, end > first { return .row(first..<end, fault: fault, end: bytes.count) }
    }
    guard isEnd || bytes.count - first > Self.longest else { return .more(from: first) }
    // The element does not end as an account does. It ends at the next one, which begins with an identifier.
    if let next = Self.nextAccount(in: bytes, first + 1..<bytes.count) { return Self.unclosed(bytes, first..<next) }
    if isEnd {
      place = .done
      return .row(first..<bytes.count, fault: "the file ends within it", end: bytes.count)
    }
    place = .rest
    return .row(first..<bytes.count, fault: Self.tooLong, end: bytes.count)
  }

  private static let tooLong = "it is longer than \(longest >> 10) KiB, or its brackets or quotes do not match"

  /// Skips what is left of an element of which one row has told that it is too long, up to the next account.
  private mutating func skipRest(_ bytes: [UInt8], _ start: Int, _ isEnd: Bool) -> RowSplit {
    if let next = Self.nextAccount(in: bytes, start..<bytes.count) {
      place = .rows
      return .nothing(end: next)
    }
    guard isEnd else { return .more(from: max(start, bytes.count - Self.longestBeginning)) }
    place = .done
    return .end
  }

  /// The length within which an account's first bracket and the name after it are looked for, as they may be parted by
  /// the end of what was read.
  private static let longestBeginning = 4096

  /// Whether a row is JSON, as a strict reader sees it.
  private static func isJSON(_ bytes: ArraySlice<UInt8>) -> Bool {
    let limits = JSONLimits(bytes: bytes.count, depth: 64, members: 65_536, nameBytes: bytes.count)
    return (try? JSONValue(reading: bytes, limits: limits)) != nil
  }

  /// Reads what follows the array: other members of the object, and nothing after its end. A second list is a fault,
  /// because its accounts are not read.
  private mutating func after(_ bytes: [UInt8], _ start: Int, _ isEnd: Bool) throws(AuthError) -> RowSplit {
    guard let index = Self.afterSpace(bytes, start) else {
      if !isEnd { return .more(from: bytes.count) }
      return isInObject ? rest(bytes, start, "the file ends before its object does") : .end
    }
    guard isInObject else { return rest(bytes, index, "text follows the list; only the accounts before it are read") }
    switch bytes[index] {
    case UInt8(ascii: "}"):
      isInObject = false
      return .nothing(end: index + 1)
    case UInt8(ascii: ","): return .nothing(end: index + 1)
    case UInt8(ascii: "\""): break
    default: return rest(bytes, index, "text that is no member follows the list")
    }
    guard let nameEnd = Self.end(of: bytes, index), let colon = Self.afterSpace(bytes, nameEnd),
      let value = Self.afterSpace(bytes, colon + 1), let end = Self.end(of: bytes, value)
    else {
      let isLong = bytes.count - index > Self.longest
      return isEnd || isLong ? rest(bytes, index, "a member after the list has no end") : .more(from: index)
    }
    if bytes[index..<nameEnd].elementsEqual(#""users""#.utf8) {
      return rest(bytes, index, "the file has a second list \"users\"; only the first one is read")
    }
    return .nothing(end: end)
  }

  /// Ends the file with a fault, as one more row.
  private mutating func rest(_ bytes: [UInt8], _ start: Int, _ fault: String) -> RowSplit {
    place = .done
    return .row(start..<start, fault: fault, end: bytes.count)
  }

  /// A row that ends where the next account begins.
  private static func unclosed(_ bytes: [UInt8], _ range: Range<Int>) -> RowSplit {
    let isSeparator: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ",")].contains($0) }
    let last = bytes[range].lastIndex { !isSeparator($0) }
    return .row(
      range.lowerBound..<(last.map { $0 + 1 } ?? range.lowerBound),
      fault: "it is not JSON: brackets or quotes do not match", end: range.upperBound)
  }

  // MARK: Bytes

  private static func afterSpace(_ bytes: [UInt8], _ start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return index
      }
    }
    return nil
  }

  /// The index after the value that begins at `start`; `nil` if it is not complete.
  private static func end(of bytes: [UInt8], _ start: Int) -> Int? {
    // The kinds of the open brackets: a bit is set for an object.
    var (index, depth, kinds) = (start, 0, UInt64(0))
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count else { return nil }
        if depth == 0 { return index + 1 }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < 64 else { return nil }
        kinds = kinds << 1 | (bytes[index] == UInt8(ascii: "{") ? 1 : 0)
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return index }
        guard kinds & 1 == (bytes[index] == UInt8(ascii: "}") ? 1 : 0) else { return nil }
        kinds >>= 1
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The index of the first `{` in a range that is followed by `"localId"`.
  private static func nextAccount(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
      if bytes[index] == UInt8(ascii: "{"), let name = afterSpace(bytes, index + 1),
        bytes[name...].starts(with: #""localId""#.utf8)
      {
        return index
      }
      index += 1
    }
    return nil
  }

  private static func malformed(_ reason: String) -> AuthError {
    AuthError(.jsonMalformed, "the file is no export of accounts: \(reason)")
  }
}
