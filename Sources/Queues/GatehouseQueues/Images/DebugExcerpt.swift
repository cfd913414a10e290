import CGatehouseWaits
package import GatehouseSystem

/// A copy in memory of those parts of a program file that name some of its addresses: the tables of symbols and texts,
/// and of the debug information only the units that contain the addresses.
///
/// The Swift runtime reads all debug information of the file that it is given, and runs all tables of lines once for
/// each address. For a program of 300 MB that takes seconds; for the excerpt it takes milliseconds.
package final class DebugExcerpt: Sendable {
  private let file: OpenFile
  /// The number of bytes of units and of tables of lines in the excerpt. The time of a look-up grows with them.
  package let debugBytes: Int

  /// The excerpt can be opened under this path while this object exists.
  package var path: String { file.descriptorPath }

  private static let symbolSections = [".symtab", ".strtab"]
  /// The sections that units and tables of lines refer to.
  private static let textSections = [
    ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets", ".debug_addr", ".debug_ranges",
    ".debug_rnglists",
  ]
  /// With more bytes in these sections, the excerpt has the names of functions only.
  private static let maximumSize: UInt64 = 1 << 30

  /// - Parameters:
  ///   - path: the program or library.
  ///   - addresses: relative to the file's first byte in memory.
  /// - Returns: `nil` if the file is in another form than `ELFFile` reads, or has no debug information.
  package init?(of path: String, for addresses: [UInt64]) throws(SystemError) {
    guard let elf = ELFFile(path: path) else { return nil }
    let ranges = elf.ranges(of: Self.symbolSections + Self.textSections + [".debug_info", ".debug_line"])
    guard ranges[".debug_info"] != nil else { return nil }
    let program = try OpenFile(path)
    var sections: [Section] = []
    func copy(_ names: [String]) {
      for name in names {
        if let range = ranges[name] { sections.append(Section(name: name, content: .copied(range))) }
      }
    }
    copy(Self.symbolSections)
    var debugBytes = 0
    if Self.textSections.reduce(0, { $0 + UInt64(ranges[$1]?.count ?? 0) }) <= Self.maximumSize {
      let units = try UnitCopies(of: elf, for: addresses.sorted(), linesIn: program, at: ranges[".debug_line"])
      debugBytes = units.info.count + units.lines.count
      if !units.info.isEmpty {
        copy(Self.textSections)
        sections.append(Section(name: ".debug_info", content: .made(units.info)))
        sections.append(Section(name: ".debug_line", content: .made(units.lines)))
      }
    }
    self.debugBytes = debugBytes
    file = try .inMemory(named: "debug-excerpt") { gw_memory_file() }
    try Self.write(sections, of: program, to: file)
  }

  private struct Section {
    enum Content {
      /// Bytes of the program's file.
      case copied(Range<UInt64>)
      case made([UInt8])
    }

    let name: String
    let content: Content

    var size: UInt64 {
      switch content {
      case .copied(let range): range.upperBound - range.lowerBound
      case .made(let bytes): UInt64(bytes.count)
      }
    }
  }

  /// Writes an ELF file that has these sections and no segments.
  private static func write(
    _ sections: [Section], of program: borrowing OpenFile, to file: borrowing OpenFile
  ) throws(SystemError) {
    let headerSize: UInt64 = 64
    var names: [UInt8] = [0], rows = SectionRow().bytes, offset = headerSize
    for section in sections {
      rows += SectionRow(name: names.count, kind: 1, offset: offset, size: section.size).bytes
      names += Array(section.name.utf8) + [0]
      offset += section.size
    }
    rows += SectionRow(name: 0, kind: 3, offset: offset, size: UInt64(names.count)).bytes
    offset += UInt64(names.count)
    // The program's own header up to its version: its class and its machine. Then the table of sections.
    var header = try program.read(at: 0, count: 24)
    header += littleEndian(0, 16) + littleEndian(offset, 8) + littleEndian(0, 4)
    header += [headerSize, 56, 0, 64, UInt64(sections.count + 2), UInt64(sections.count + 1)].flatMap {
      littleEndian($0, 2)
    }
    try file.write(header)
    for section in sections {
      switch section.content {
      case .copied(let range): try file.append(range, of: program)
      case .made(let bytes): try file.write(bytes)
      }
    }
    try file.write(names + rows)
  }
}

/// One row of an ELF file's table of sections.
private struct SectionRow {
  var name = 0
  var kind: UInt64 = 0
  var offset: UInt64 = 0
  var size: UInt64 = 0

  var bytes: [UInt8] {
    littleEndian(UInt64(name), 4) + littleEndian(kind, 4) + littleEndian(0, 16) + littleEndian(offset, 8)
      + littleEndian(size, 8) + littleEndian(0, 8) + littleEndian(1, 8) + littleEndian(0, 8)
  }
}

private func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
  (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) : 0 }
}

/// The compilation units that contain some addresses, and their tables of lines.
private struct UnitCopies {
  private(set) var info: [UInt8] = []
  private(set) var lines: [UInt8] = []

  /// - Parameter section: the range of all tables of lines in the program's file.
  init(
    of file: ELFFile, for addresses: [UInt64], linesIn program: borrowing OpenFile, at section: Range<UInt64>?
  ) throws(SystemError) {
    let units = DebugUnits(file), known = UnitAddresses(file)
    let wanted = units.filter { known.contains(anyOf: addresses, in: $0) }
    var moved: [UInt64: Int] = [:]
    for unit in wanted where unit.range.upperBound <= units.info.bytes.count {
      guard let table = unit.lines, let section, table.value < section.count else { continue }
      if moved[table.value] == nil {
        let start = section.lowerBound + table.value
        let length = LittleEndian(try program.read(at: start, count: 4)).u32(0)
        guard UInt64(length) + 4 <= section.upperBound - start else { continue }
        moved[table.value] = lines.count
        lines += try program.read(at: start, count: Int(length) + 4)
      }
      // The unit has the offset of its table, which is another one in the excerpt.
      let position = info.count + table.position - unit.range.lowerBound
      info += units.info.bytes[unit.range]
      info.replaceSubrange(position..<position + 4, with: littleEndian(UInt64(moved[table.value] ?? 0), 4))
    }
  }
}
