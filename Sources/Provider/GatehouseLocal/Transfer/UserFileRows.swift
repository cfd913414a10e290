package import GatehouseBase

/// Reads the accounts of a file, one after the other. However long the file is, the memory holds one chunk of it, and
/// one row.
package struct UserFileRows: ~Copyable {
  private var splitter: any RowSplitter
  private let read: (_ offset: UInt64, _ count: Int) throws(AuthError) -> [UInt8]
  private let chunk: Int
  private var bytes: [UInt8] = []
  /// The index of the first byte that is not read.
  private var position = 0
  private var isEnd = false
  private var number = 0
  /// The number of bytes of the file that were taken into memory.
  private(set) var offset: UInt64 = 0

  /// - Parameters:
  ///   - chunk: the number of bytes that are read at once.
  ///   - read: reads up to a number of bytes from an offset on; fewer at the file's end.
  package init(
    _ format: UserFileFormat, chunk: Int = 256 << 10,
    read: @escaping (_ offset: UInt64, _ count: Int) throws(AuthError) -> [UInt8]
  ) {
    splitter = format == .json ? JSONRows() : CSVRows()
    self.chunk = chunk
    self.read = read
  }

  /// The next row; `nil` after the last one.
  package mutating func next() throws(AuthError) -> FileRow? {
    while true {
      switch try splitter.next(in: bytes, from: position, isEnd: isEnd) {
      case .row(let range, let fault, let end):
        position = end
        number += 1
        return FileRow(number: number, bytes: Array(bytes[range]), fault: fault)
      case .nothing(let end): position = end
      case .more(let first): try refill(from: first)
      case .end: return nil
      }
    }
  }

  /// Reads another chunk, and forgets the bytes before the first one that is still needed.
  private mutating func refill(from first: Int) throws(AuthError) {
    let isFirst = offset == 0
    let new = try read(offset, chunk)
    offset += UInt64(new.count)
    isEnd = new.count < chunk
    if isFirst, [[0xFE, 0xFF], [0xFF, 0xFE]].contains(where: new.starts) {
      throw AuthError(.jsonMalformed, "the file is UTF-16; save it as UTF-8, and import that")
    }
    bytes.removeFirst(first)
    bytes += new
    position = 0
  }
}
