import CGatehouseWaits
import GatehouseSystem

/// The record of one process. The process may still write it, so every value that is read is a copy.
struct RecordFile: Sendable {
  let path: String
  private let header: Bytes

  /// Nil if the file is not a record of this version. A record with a header also has its first rows.
  init?(path: String) {
    self.path = path
    guard let header = Bytes(path: path, from: 0, count: GWR_HEADER_SIZE), header.u32(0) == UInt32(GWR_MAGIC),
      header.u32(4) == UInt32(GWR_VERSION),
      // A signal to 0, or to a negative number, would reach many processes.
      Int32(bitPattern: header.u32(GWR_HEADER_PID)) > 0
    else { return nil }
    self.header = header
  }

  var processID: Int32 { Int32(bitPattern: header.u32(GWR_HEADER_PID)) }
  var mainThread: UInt32 { header.u32(GWR_HEADER_MAIN) }
  var usesDispatch: Bool { header.u32(GWR_HEADER_DISPATCH) != 0 }
  /// Whether it is the program that the user named, not one that it started.
  var isAskedFor: Bool { header.u32(GWR_HEADER_ASKED_FOR) != 0 }
  var begunAt: UInt64 { header.u64(GWR_HEADER_BEGUN_AT) }
  /// Blocks that wait for a thread on the global queues.
  var pendingGlobal: Int64 { Int64(bitPattern: header.u64(GWR_HEADER_PENDING_GLOBAL)) }
  /// Asynchronous blocks that have begun and not ended, and those that have ended.
  var running: Int64 { Int64(bitPattern: header.u64(GWR_HEADER_RUNNING)) }
  var ended: UInt64 { header.u64(GWR_HEADER_ENDED) }
  var begunGlobal: UInt64 { header.u64(GWR_HEADER_BEGUN_GLOBAL) }
  /// Locks that were never initialized and are in no image: usually those of C++ objects.
  var unknownLocks: UInt64 { header.u64(GWR_HEADER_UNKNOWN) }

  /// A timer may fire until then, in monotonic nanoseconds; 0: none was set.
  var timersUntil: UInt64 { header.u64(GWR_HEADER_TIMERS) }

  /// A table, by its index in the header.
  enum Table: Int { case threads, classes, edges, waits, queues, moments }

  /// How many rows were written to a table. It is more than the table has room for if some were lost.
  func count(_ table: Table) -> Int {
    table == .threads ? GWR_THREADS : Int(clamping: header.u64(GWR_HEADER_COUNTS + (table.rawValue - 1) * 8))
  }

  /// The rows of a table, each of `size` bytes.
  func rows(_ table: Table, of size: Int, atMost most: Int) -> [Bytes] {
    let count = min(count(table), most)
    let start = header.u64(GWR_HEADER_TABLES + table.rawValue * 8)
    guard count > 0, let bytes = Bytes(path: path, from: start, count: count * size) else { return [] }
    return (0..<count).map { bytes.part($0 * size, size) }
  }
}

/// Numbers in a row of bytes, in this machine's byte order. Bytes outside the row read as 0.
struct Bytes: Sendable {
  private let bytes: ArraySlice<UInt8>

  init?(path: String, from start: UInt64, count: Int) {
    // A watched program can put anything in the folder, a pipe as well.
    guard let file = try? OpenFile(path), (try? file.status().kind) == .file,
      let bytes = try? file.read(at: start, count: count), !bytes.isEmpty
    else { return nil }
    self.bytes = bytes[...]
  }

  private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  func part(_ start: Int, _ count: Int) -> Bytes { Bytes(bytes.dropFirst(start).prefix(count)) }

  func u32(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(offset, 4)) }
  func u64(_ offset: Int) -> UInt64 { number(offset, 8) }

  private func number(_ offset: Int, _ count: Int) -> UInt64 {
    bytes.dropFirst(offset).prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The text up to its first zero byte.
  func text(_ offset: Int, _ count: Int) -> String {
    String(decoding: bytes.dropFirst(offset).prefix(count).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// A table of `count` addresses.
  func addresses(_ offset: Int, count: Int) -> [UInt] {
    (0..<count).map { UInt(truncatingIfNeeded: u64(offset + $0 * 8)) }
  }
}
