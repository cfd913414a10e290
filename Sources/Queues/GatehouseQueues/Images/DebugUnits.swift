/// The compilation units of a program file, from the first entry of each in its debug information (DWARF 2 to 5).
///
/// The file is not trusted. A unit with a form that is not understood is left out.
package struct DebugUnits: Sequence {
  package let info: LittleEndian
  private let abbreviations: LittleEndian

  package init(_ file: ELFFile) {
    (info, abbreviations) = (LittleEndian(file.section(".debug_info")), LittleEndian(file.section(".debug_abbrev")))
  }

  package struct Iterator: IteratorProtocol {
    private let units: DebugUnits
    private var cursor: Cursor
    /// The last description of an entry: most units of one object file share it.
    private var known: (table: UInt64, code: UInt64, position: Int)?

    fileprivate init(_ units: DebugUnits) { (self.units, cursor) = (units, Cursor(units.info, at: 0)) }

    package mutating func next() -> DebugUnit? {
      while cursor.isInside {
        let start = cursor.position, length = cursor.number(4)
        // A length from this number on marks the 64-bit form of DWARF.
        guard length < 0xFFFF_FFF0, length > 0 else { return nil }
        let end = cursor.position + Int(length)
        let unit = unit(start..<end)
        cursor.position = end
        if let unit { return unit }
      }
      return nil
    }

    private mutating func unit(_ range: Range<Int>) -> DebugUnit? {
      let version = cursor.number(2)
      guard 2...5 ~= version else { return nil }
      var addressSize: UInt64 = 8, kind: UInt64 = 1
      if version == 5 { (kind, addressSize) = (cursor.number(1), cursor.number(1)) }
      let table = cursor.number(4)
      if version < 5 { addressSize = cursor.number(1) }
      // After the header, a skeleton unit and a split unit have an identifier; a type unit has an identifier and an
      // offset.
      if [4, 5].contains(kind) { cursor.position += 8 }
      if [2, 6].contains(kind) { cursor.position += 12 }
      var unit = DebugUnit(range: range, version: version, addressSize: Int(addressSize))
      guard var list = description(of: cursor.compact(), in: table) else { return nil }
      while list.isInside {
        let (attribute, form) = (list.compact(), list.compact())
        if attribute == 0, form == 0 { return unit }
        if form == 0x21 { _ = list.compact() }
        let position = cursor.position
        guard let value = cursor.value(of: form, addressSize: unit.addressSize, version) else { return nil }
        unit.set(attribute, DebugUnit.Value(form: form, value: value, position: position))
      }
      return nil
    }

    /// Returns the position of the attributes of entries with this code.
    private mutating func description(of code: UInt64, in table: UInt64) -> Cursor? {
      if let known, known.table == table, known.code == code { return Cursor(units.abbreviations, at: known.position) }
      var list = Cursor(units.abbreviations, at: Int(table))
      // The list of each abbreviation ends with two zeros, and the table ends with a code of 0.
      while list.isInside {
        let own = list.compact()
        guard own != 0 else { return nil }
        _ = (list.compact(), list.number(1))
        if own == code {
          known = (table, code, list.position)
          return list
        }
        list.skipAttributes()
      }
      return nil
    }
  }

  package func makeIterator() -> Iterator { Iterator(self) }
}

/// One compilation unit: where its bytes are, and what its first entry says.
package struct DebugUnit: Sendable {
  /// The value of an attribute, as it is written: often an offset or an index.
  package struct Value: Sendable {
    package let form, value: UInt64
    /// The position of the value in the debug information.
    package let position: Int
  }

  /// The unit's bytes in the debug information.
  let range: Range<Int>
  let version: UInt64
  let addressSize: Int
  /// The folder in which the unit was compiled.
  package private(set) var folder: Value?
  /// The offset of the unit's table of lines.
  private(set) var lines: Value?
  private(set) var start, end, ranges: Value?
  /// The position at which the unit's offsets of texts begin.
  package private(set) var textOffsets: UInt64 = 8
  private(set) var addressTable, rangeTable: UInt64?

  init(range: Range<Int>, version: UInt64, addressSize: Int) {
    (self.range, self.version, self.addressSize) = (range, version, addressSize)
  }

  fileprivate mutating func set(_ attribute: UInt64, _ value: Value) {
    switch attribute {
    case 0x10: lines = value
    case 0x11: start = value
    case 0x12: end = value
    case 0x1B: folder = value
    case 0x55: ranges = value
    case 0x72: textOffsets = value.value
    case 0x73: addressTable = value.value
    case 0x74: rangeTable = value.value
    default: break
    }
  }
}

/// A position in bytes. Outside of the bytes every value reads as 0.
struct Cursor {
  let bytes: LittleEndian
  var position: Int

  init(_ bytes: LittleEndian, at position: Int) { (self.bytes, self.position) = (bytes, position) }

  var isInside: Bool { position >= 0 && position < bytes.bytes.count }

  mutating func number(_ count: Int) -> UInt64 {
    defer { position += count }
    return bytes.number(position, count)
  }

  /// Reads a number with seven bits in each byte (LEB128).
  mutating func compact() -> UInt64 {
    var value: UInt64 = 0, shift: UInt64 = 0
    while true {
      let byte = UInt64(bytes.u8(position))
      position += 1
      if shift < 64 { value |= (byte & 0x7F) << shift }
      shift += 7
      if byte & 0x80 == 0 { return value }
    }
  }

  /// Skips a list of attributes and forms, and the two zeros at its end.
  fileprivate mutating func skipAttributes() {
    while isInside {
      let (attribute, form) = (compact(), compact())
      if form == 0x21 { _ = compact() }
      if attribute == 0, form == 0 { return }
    }
  }

  private mutating func skip(_ count: UInt64) -> UInt64 {
    position += Int(min(count, 1 << 32))
    return count
  }

  /// Reads the value of an attribute. For a value that is longer than eight bytes, it returns the length. `nil` for an
  /// unknown form.
  fileprivate mutating func value(of form: UInt64, addressSize: Int, _ version: UInt64) -> UInt64? {
    switch form {
    case 0x0B, 0x0C, 0x11, 0x25, 0x29: number(1)
    case 0x05, 0x12, 0x26, 0x2A: number(2)
    case 0x27, 0x2B: number(3)
    case 0x06, 0x0E, 0x13, 0x17, 0x1C, 0x1D, 0x1F, 0x28, 0x2C, 0x1F20, 0x1F21: number(4)
    case 0x07, 0x14, 0x20, 0x24: number(8)
    case 0x01: number(addressSize)
    case 0x10: number(version == 2 ? addressSize : 4)
    case 0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02: compact()
    case 0x1E: skip(16)
    case 0x19, 0x21: 0
    case 0x08: skip(UInt64(bytes.text(at: position).utf8.count) + 1)
    case 0x0A: skip(number(1))
    case 0x03: skip(number(2))
    case 0x04: skip(number(4))
    case 0x09, 0x18: skip(compact())
    default: nil
    }
  }
}
