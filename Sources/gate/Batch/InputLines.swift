import GatehouseBase

/// The lines of standard input, as they arrive. However long a line is, it takes no more memory than the longest line
/// that is allowed.
struct InputLines {
  enum Line: Sendable {
    /// A complete line without its line end. The last byte may be a carriage return.
    case whole([UInt8])
    /// A line that was longer than `limit`. Its bytes are not kept.
    case tooLong
  }

  /// The maximum length of a line, in bytes.
  let limit: Int
  private var begun: [UInt8] = []
  private var isTooLong = false
  private var isOver = false

  init(limit: Int) { self.limit = limit }

  /// Waits for input, and returns the lines that are complete; `nil` at the end of the input. Bytes after the last line
  /// end count as a line too.
  mutating func next() throws(AuthError) -> [Line]? {
    guard !isOver else { return nil }
    let chunk = try Input.available(atMost: 64 << 10)
    guard !chunk.isEmpty else {
      isOver = true
      return begun.isEmpty && !isTooLong ? nil : [endLine()]
    }
    var lines: [Line] = []
    var start = 0
    while let end = chunk.span.firstIndex(of: UInt8(ascii: "\n"), from: start) {
      take(chunk[start..<end])
      lines.append(endLine())
      start = end + 1
    }
    take(chunk[start...])
    return lines
  }

  private mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard !isTooLong, begun.count + bytes.count <= limit else {
      begun = []
      isTooLong = true
      return
    }
    begun += bytes
  }

  private mutating func endLine() -> Line {
    defer {
      begun = []
      isTooLong = false
    }
    return isTooLong ? .tooLong : .whole(begun)
  }
}
