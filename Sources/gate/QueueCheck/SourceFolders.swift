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

/// The folder of each compilation unit.
struct UnitFolders {
  /// The folder of each unit (`DW_AT_comp_dir`), without duplicates.
  private(set) var folders: [String] = []

  init(_ file: ELFFile) {
    func section(_ name: String) -> LittleEndian { LittleEndian(file.section(name)) }
    let units = DebugUnits(file)
    let (texts, lineTexts) = (section(".debug_str"), section(".debug_line_str"))
    let textOffsets = section(".debug_str_offsets")
    func text(of value: DebugUnit.Value, in unit: DebugUnit) -> String? {
      switch value.form {
      case 0x08: return units.info.text(at: value.position)
      case 0x0E: return texts.text(at: Int(truncatingIfNeeded: value.value))
      case 0x1F: return lineTexts.text(at: Int(truncatingIfNeeded: value.value))
      case 0x1A, 0x25...0x28:
        let offset = Int(truncatingIfNeeded: unit.textOffsets &+ value.value &* 4)
        return texts.text(at: Int(textOffsets.u32(offset)))
      default: return nil
      }
    }
    var known: Set<String> = []
    for unit in units {
      guard let folder = unit.folder.flatMap({ text(of: $0, in: unit) }) else { continue }
      if known.insert(folder).inserted { folders.append(folder) }
    }
  }
}
