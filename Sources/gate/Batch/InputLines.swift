import GatehouseBase

/// The lines of standard input, as they come in: no more memory than the longest line may take, however long one is.
struct InputLines {
  enum Line: Sendable {
    /// All of a line, without its end; its last byte may be a carriage return.
    case whole([UInt8])
    /// A line that was longer than `limit`, and is not kept.
    case tooLong
  }

  /// The longest line, in bytes.
  let limit: Int
  private var begun: [UInt8] = []
  private var isTooLong = false
  private var isOver = false

  init(limit: Int) { self.limit = limit }

  /// Waits for input, and returns the lines that end in it; `nil` at the end. Bytes after the last line end are a line
  /// too.
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
