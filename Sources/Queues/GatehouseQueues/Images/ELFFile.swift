import GatehouseSystem

/// A program or library in the 64-bit little-endian ELF form that Linux uses here. Only those parts are read that are
/// needed to name functions and global variables, and to see how a program is linked.
///
/// The file's headers and tables are not trusted: any offset or size in them may be wrong, and what does not fit is
/// left out.
package struct ELFFile: Sendable {
  package struct Symbol: Sendable {
    package let name: String
    package let address: UInt64
    package let size: UInt64
    /// Whether the file defines the symbol itself. If not, another file must define it.
    package let isDefined: Bool
    package let isVariable: Bool
  }

  private struct Section { let name, kind: UInt32, flags, offset, size, link, entrySize: UInt64 }
  private struct Segment { let kind: UInt32, offset, address, size: UInt64 }

  private let sections: [Section]
  private let segments: [Segment]
  /// The index of the section with the names of all sections.
  private let names: Int
  let path: String
  /// A table of more bytes is not read.
  private static let maximumTable: UInt64 = 256 << 20

  /// `nil` if the file cannot be read, or is not in this form.
  package init?(path: String) {
    guard let file = try? OpenFile(path), (try? file.status().kind) == .file,
      let header = try? file.read(at: 0, count: 64), header.count == 64,
      header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1])
    else { return nil }
    self.path = path
    let head = LittleEndian(header)
    func rows(_ start: UInt64, _ size: UInt64, _ count: UInt64, _ least: UInt64) -> [LittleEndian] {
      guard size >= least, size <= 1 << 10, let bytes = try? file.read(at: start, count: Int(size * count)) else {
        return []
      }
      return (0..<bytes.count / Int(size)).map { LittleEndian(Array(bytes[$0 * Int(size)..<($0 + 1) * Int(size)])) }
    }
    segments = rows(head.u64(32), head.u16(54), head.u16(56), 56).map {
      Segment(kind: $0.u32(0), offset: $0.u64(8), address: $0.u64(16), size: $0.u64(32))
    }
    sections = rows(head.u64(40), head.u16(58), head.u16(60), 64).map {
      Section(
        name: $0.u32(0), kind: $0.u32(4), flags: $0.u64(8), offset: $0.u64(24), size: $0.u64(32),
        link: UInt64($0.u32(40)), entrySize: $0.u64(56))
    }
    names = Int(head.u16(62))
  }

  /// Whether the dynamic linker starts the program. Only then can a library be preloaded.
  package var isDynamic: Bool { segments.contains { $0.kind == 3 } }

  /// The address of the file's first byte in memory, before the file is relocated.
  package var base: UInt64 { segments.filter { $0.kind == 1 }.map { $0.address & ~0xFFF }.min() ?? 0 }

  private func bytes(_ section: Section) -> [UInt8] {
    guard section.size <= Self.maximumTable, let file = try? OpenFile(path) else { return [] }
    return (try? file.read(at: section.offset, count: Int(section.size))) ?? []
  }

  /// Returns the bytes of the section with this name; none if there is no such section, or if it is compressed.
  package func section(_ name: String) -> [UInt8] { named([name])[name].map(bytes) ?? [] }

  /// Returns the offset and size in the file of each section with one of these names that is not compressed.
  func ranges(of wanted: [String]) -> [String: Range<UInt64>] {
    named(wanted).compactMapValues { section in
      let (end, isTooFar) = section.offset.addingReportingOverflow(section.size)
      return isTooFar ? nil : section.offset..<end
    }
  }

  private func named(_ wanted: [String]) -> [String: Section] {
    guard sections.indices.contains(names) else { return [:] }
    let texts = bytes(sections[names]), compressed: UInt64 = 0x800
    var found: [String: Section] = [:]
    for section in sections where section.flags & compressed == 0 {
      let name = Self.text(in: texts, at: Int(section.name))
      if wanted.contains(name), found[name] == nil { found[name] = section }
    }
    return found
  }

  private func table(of kind: UInt32) -> (rows: [UInt8], texts: [UInt8])? {
    guard let section = sections.first(where: { $0.kind == kind }), let link = Int(exactly: section.link),
      sections.indices.contains(link)
    else { return nil }
    return (bytes(section), bytes(sections[link]))
  }

  /// The symbols of the full table; in a file that was stripped, those of the dynamic table.
  package var symbols: [Symbol] { symbols(of: 2) ?? dynamicSymbols }
  /// The symbols that the dynamic linker sees.
  package var dynamicSymbols: [Symbol] { symbols(of: 11) ?? [] }

  private func symbols(of kind: UInt32) -> [Symbol]? {
    guard let (rows, texts) = table(of: kind) else { return nil }
    return stride(from: 0, through: rows.count - 24, by: 24).map { start in
      let row = LittleEndian(Array(rows[start..<start + 24]))
      return Symbol(
        name: Self.text(in: texts, at: Int(row.u32(0))), address: row.u64(8), size: row.u64(16),
        isDefined: row.u16(6) != 0, isVariable: row.u8(4) & 0xF == 1)
    }
  }

  /// The names of the libraries that the file needs.
  package var libraries: [String] { dynamicTexts(of: [1]) }

  /// The folders of libraries that the file names itself (`DT_RPATH`, `DT_RUNPATH`).
  package var libraryFolders: [String] {
    let own = FileLocation(path).folder
    return dynamicTexts(of: [15, 29]).flatMap { $0.split(separator: ":") }
      .map { String($0).replacing("$ORIGIN", with: own).replacing("${ORIGIN}", with: own) }
  }

  private func dynamicTexts(of kinds: Set<UInt64>) -> [String] {
    guard let (rows, texts) = table(of: 6) else { return [] }
    return stride(from: 0, through: rows.count - 16, by: 16).compactMap { start in
      let row = LittleEndian(Array(rows[start..<start + 16]))
      return kinds.contains(row.u64(0)) ? Int(exactly: row.u64(8)).map { Self.text(in: texts, at: $0) } : nil
    }
  }

  private static func text(in bytes: [UInt8], at start: Int) -> String {
    guard bytes.indices.contains(start) else { return "" }
    return String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// Reads numbers from little-endian bytes. Outside of the bytes every number reads as 0.
package struct LittleEndian: Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  func u8(_ offset: Int) -> UInt8 { offset >= 0 && offset < bytes.count ? bytes[offset] : 0 }
  func u16(_ offset: Int) -> UInt64 { number(offset, 2) }
  package func u32(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(offset, 4)) }
  func u64(_ offset: Int) -> UInt64 { number(offset, 8) }

  /// Returns the text up to the next zero byte.
  package func text(at offset: Int) -> String {
    guard bytes.indices.contains(offset) else { return "" }
    return String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
  }

  func number(_ offset: Int, _ count: Int) -> UInt64 {
    // A loop without closures: a debug build of a program reads millions of bytes here.
    var value: UInt64 = 0, index = count
    while index > 0 {
      index -= 1
      value = value << 8 | UInt64(u8(offset &+ index))
    }
    return value
  }
}
