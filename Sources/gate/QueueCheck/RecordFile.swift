import CGatehouseWaits
import GatehouseSystem

/// The record of one process. The process may still be writing it, so every value that is read is a copy.
struct RecordFile: Sendable {
  /// The memory that the process shares with this one. It stays after the process has ended.
  final class Memory: Sendable {
    fileprivate let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }
  }

  private let memory: Memory
  /// A copy of the header, from when this value was made.
  let header: gwr_header
  private let size: UInt64

  /// `nil` if the memory is not a record of this version. A record with a header also has its first rows.
  init?(_ memory: Memory) {
    // Any process of this user can send a file, which may even be a pipe.
    guard let status = try? memory.file.status(), status.kind == .file,
      let header = try? memory.file.values(of: gwr_header.self, at: 0, count: 1).first,
      header.magic == UInt32(GWR_MAGIC), header.version == UInt32(GWR_VERSION),
      // A signal to the process ID 0, or to a negative one, would reach many processes.
      Int32(bitPattern: header.pid) > 0
    else { return nil }
    self.memory = memory
    self.header = header
    size = UInt64(clamping: status.size)
  }

  var processID: Int32 { Int32(bitPattern: header.pid) }
  var usesDispatch: Bool { header.uses_dispatch != 0 }
  /// Whether this is the program that the user named, and not one that it started.
  var isAskedFor: Bool { header.is_asked_for != 0 }

  /// The number of times that the program took a lock of unknown origin, which was not followed.
  var unknownLocks: UInt64 { header.unknown_locks }

  /// Returns the rows of a table.
  func rows<Row: BitwiseCopyable>(_ table: gwr_table, of _: Row.Type) -> [Row] {
    values(at: table.at, count: min(table.count, table.room))
  }

  /// Returns the values from this offset on; none if the record has no room for them.
  func values<Value: BitwiseCopyable>(at offset: UInt64, count: UInt64) -> [Value] {
    let (length, isTooLong) = count.multipliedReportingOverflow(by: UInt64(MemoryLayout<Value>.stride))
    let (end, isBeyond) = offset.addingReportingOverflow(length)
    guard !isTooLong, !isBeyond, end <= size, count > 0 else { return [] }
    return (try? memory.file.values(of: Value.self, at: offset, count: Int(clamping: count))) ?? []
  }

  /// The number of bytes in `maps`.
  var mapsLength: Int { Int(clamping: min(header.maps.count, header.maps.room)) }

  /// The memory map of the process, which it wrote when it began or when it ended.
  var maps: String { String(decoding: rows(header.maps, of: UInt8.self), as: UTF8.self) }
}

extension OpenFile {
  /// Returns values of a plain C type that lie one behind the other. At the end of the file there may be fewer.
  fileprivate borrowing func values<Value: BitwiseCopyable>(
    of type: Value.Type, at offset: UInt64, count: Int
  ) throws(SystemError) -> [Value] {
    let stride = MemoryLayout<Value>.stride
    let bytes = try read(at: offset, count: count * stride)
    // `unsafe`: any bytes are a valid value of such a type, and all of them are within the array.
    return unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / stride).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * stride, as: Value.self) }
    }
  }
}
