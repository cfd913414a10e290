import GatehouseQueues
import GatehouseSystem

/// The folders in which the units of a program's images were compiled, from their debug information (DWARF 2 to 5).
///
/// The names of source files may be relative to them. An image is read once, when the first such name in it is looked
/// up.
final class SourceFolders: Sendable {
  private let known = Lock([String: [String]]())

  /// Returns the absolute path of a source file; `nil` if several folders are possible, and it is not known which of
  /// them has the file.
  ///
  /// - Parameters:
  ///   - file: the file's name in the debug information.
  ///   - image: the path of the image.
  func path(of file: String, in image: String) -> String? {
    if file.hasPrefix("/") { return file }
    let name = file.hasPrefix("./") ? String(file.dropFirst(2)) : file
    let all = folders(of: image).filter { $0.hasPrefix("/") }.map { $0.hasSuffix("/") ? $0 + name : "\($0)/\(name)" }
    if all.count == 1 { return all[0] }
    let existing = all.filter { path in (try? OpenFile(path).status().kind) == .file }
    return existing.count == 1 ? existing[0] : nil
  }

  private func folders(of image: String) -> [String] {
    if let folders = known.withLock({ $0[image] }) { return folders }
    let folders = ELFFile(path: image).map { UnitFolders($0).folders } ?? []
    known.withLock { $0[image] = folders }
    return folders
  }
}

/// Reads the first entry of each compilation unit. A unit with a form that is not understood is left out.
struct UnitFolders {
  /// The folder of each unit (`DW_AT_comp_dir`), without duplicates.
  private(set) var folders: [String] = []

  private let info: Cursor, abbreviations, texts, lineTexts, textOffsets: LittleEndian

  /// The required parts of a unit's first entry.
  private struct Entry {
    /// The form, the value and the position of the folder's name.
    var folder: (form: UInt64, value: UInt64, at: Int)?
    /// The position at which the unit's offsets of texts begin.
    var textOffsets: UInt64 = 8
  }

  init(_ file: ELFFile) {
    func section(_ name: String) -> LittleEndian { LittleEndian(file.section(name)) }
    info = Cursor(section(".debug_info"), at: 0)
    (abbreviations, texts) = (section(".debug_abbrev"), section(".debug_str"))
    (lineTexts, textOffsets) = (section(".debug_line_str"), section(".debug_str_offsets"))
    var known: Set<String> = []
    var unit = info
    while unit.isInside {
      let length = unit.number(4)
      // A length from this number on marks the 64-bit form of DWARF.
      guard length < 0xFFFF_FFF0, length > 0 else { return }
      let next = unit.position + Int(length)
      if let folder = folder(of: unit), known.insert(folder).inserted { folders.append(folder) }
      unit.position = next
    }
  }

  private func folder(of unit: Cursor) -> String? {
    var entry = unit
    let version = entry.number(2)
    guard 2...5 ~= version else { return nil }
    var addressSize: UInt64 = 8, kind: UInt64 = 1
    if version == 5 { (kind, addressSize) = (entry.number(1), entry.number(1)) }
    let abbreviations = entry.number(4)
    if version < 5 { addressSize = entry.number(1) }
    // After the header, a skeleton unit and a split unit have an identifier; a type unit has an identifier and an
    // offset.
    if [4, 5].contains(kind) { entry.position += 8 }
    if [2, 6].contains(kind) { entry.position += 12 }
    guard let found = attributes(of: &entry, at: Int(abbreviations), addressSize: Int(addressSize), version),
      let folder = found.folder
    else { return nil }
    switch folder.form {
    case 0x08: return info.bytes.text(at: folder.at)
    case 0x0E: return texts.text(at: Int(truncatingIfNeeded: folder.value))
    case 0x1F: return lineTexts.text(at: Int(truncatingIfNeeded: folder.value))
    case 0x1A, 0x25...0x28:
      let offset = Int(truncatingIfNeeded: found.textOffsets &+ folder.value &* 4)
      return texts.text(at: Int(textOffsets.u32(offset)))
    default: return nil
    }
  }

  /// Returns the required attributes; `nil` if a form is not understood.
  private func attributes(of entry: inout Cursor, at start: Int, addressSize: Int, _ version: UInt64) -> Entry? {
    let code = entry.compact()
    var list = Cursor(abbreviations, at: start)
    // The list of each abbreviation ends with two zeros, and the table ends with a code of 0.
    while list.isInside {
      let own = list.compact()
      guard own != 0 else { return nil }
      _ = (list.compact(), list.number(1))
      if own == code { break }
      while list.isInside {
        let (attribute, form) = (list.compact(), list.compact())
        if form == 0x21 { _ = list.compact() }
        if attribute == 0, form == 0 { break }
      }
    }
    var found = Entry()
    while list.isInside {
      let (attribute, form) = (list.compact(), list.compact())
      if attribute == 0, form == 0 { return found }
      if form == 0x21 { _ = list.compact() }
      let at = entry.position
      guard let value = entry.value(of: form, addressSize: addressSize, version) else { return nil }
      if attribute == 0x1B { found.folder = (form, value, at) }
      if attribute == 0x72 { found.textOffsets = value }
    }
    return nil
  }
}

/// A position in bytes. Outside of the bytes every value reads as 0.
private struct Cursor {
  let bytes: LittleEndian
  var position: Int

  init(_ bytes: LittleEndian, at position: Int) { (self.bytes, self.position) = (bytes, position) }

  var isInside: Bool { bytes.bytes.indices.contains(position) }

  mutating func number(_ count: Int) -> UInt64 {
    defer { position += count }
    return bytes.number(position, count)
  }

  /// Reads a number with seven bits in each byte (LEB128).
  mutating func compact() -> UInt64 {
    var value: UInt64 = 0, shift: UInt64 = 0
    while true {
      let byte = number(1)
      if shift < 64 { value |= (byte & 0x7F) << shift }
      shift += 7
      if byte & 0x80 == 0 { return value }
    }
  }

  private mutating func skip(_ count: UInt64) -> UInt64 {
    position += Int(min(count, 1 << 32))
    return count
  }

  /// Reads the value of an attribute. For a value that is longer than eight bytes, it returns the length. `nil` for an
  /// unknown form.
  mutating func value(of form: UInt64, addressSize: Int, _ version: UInt64) -> UInt64? {
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
