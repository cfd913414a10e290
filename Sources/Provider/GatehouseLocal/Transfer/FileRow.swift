import GatehouseBase

/// One account of a file, as it is in the file.
package struct FileRow: Sendable, Equatable {
  /// The row's number in the file, from 1.
  package let number: Int
  /// The row's bytes, without the separator after it.
  package let bytes: [UInt8]
  /// The reason why the bytes are no row; `nil` if they may be one.
  package let fault: String?
}

/// Splits a file into its accounts.
protocol RowSplitter: Sendable {
  /// The maximum length of a row in bytes. A row that seems longer has no end: a quote or a bracket is missing.
  static var longest: Int { get }

  /// Takes the next row from the beginning of the bytes.
  ///
  /// - Parameter isEnd: whether the file ends after these bytes.
  /// - Throws: `.jsonMalformed` if the file as a whole has another form.
  mutating func next(in bytes: [UInt8], from start: Int, isEnd: Bool) throws(AuthError) -> RowSplit
}

/// The outcome of looking for a row.
enum RowSplit: Sendable, Equatable {
  /// A row. `end` is the index after it and its separator.
  case row(Range<Int>, fault: String? = nil, end: Int)
  /// Bytes that belong to no row, up to an index. What follows has not been looked at.
  case nothing(end: Int)
  /// The row's end is not in these bytes. `from` is the index of the first byte that is still needed.
  case more(from: Int)
  /// The last row was before.
  case end
}
