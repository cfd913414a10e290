/// The addresses that compilation units contain (DWARF 2 to 5).
struct UnitAddresses {
  /// The tables of ranges, up to version 4 and from version 5 on, and the table of addresses for the latter.
  private let ranges, lists, addresses: LittleEndian

  init(_ file: ELFFile) {
    func section(_ name: String) -> LittleEndian { LittleEndian(file.section(name)) }
    (ranges, lists, addresses) = (section(".debug_ranges"), section(".debug_rnglists"), section(".debug_addr"))
  }

  /// Whether a unit contains one of the addresses, which are in ascending order. A table with an unknown kind of entry
  /// is read up to that entry.
  func contains(anyOf wanted: [UInt64], in unit: DebugUnit) -> Bool {
    let base = unit.start.flatMap { address($0, in: unit) } ?? 0
    if let table = unit.ranges {
      return unit.version < 5
        ? contains(anyOf: wanted, rangesAt: table.value, base: base, in: unit)
        : contains(anyOf: wanted, listAt: table, base: base, in: unit)
    }
    guard unit.start != nil, let end = unit.end else { return false }
    // An end that is not an address is the number of bytes.
    return wanted.containsAny(from: base, to: address(end, in: unit) ?? base &+ end.value)
  }

  /// Returns the address that an attribute has; `nil` for an attribute of another kind.
  private func address(_ value: DebugUnit.Value, in unit: DebugUnit) -> UInt64? {
    switch value.form {
    case 0x01: value.value
    case 0x1B, 0x29...0x2C: address(value.value, in: unit)
    default: nil
    }
  }

  private func address(_ index: UInt64, in unit: DebugUnit) -> UInt64 {
    let size = unit.addressSize
    return addresses.number(Int(truncatingIfNeeded: (unit.addressTable ?? 8) &+ index &* UInt64(size)), size)
  }

  private func contains(anyOf wanted: [UInt64], rangesAt offset: UInt64, base: UInt64, in unit: DebugUnit) -> Bool {
    var base = base, row = Cursor(ranges, at: Int(truncatingIfNeeded: offset))
    let size = unit.addressSize, largest = size == 8 ? UInt64.max : 0xFFFF_FFFF
    while row.isInside {
      let (start, end) = (row.number(size), row.number(size))
      if start == largest {
        base = end
      } else if start == 0, end == 0 {
        return false
      } else if wanted.containsAny(from: base &+ start, to: base &+ end) {
        return true
      }
    }
    return false
  }

  private func contains(anyOf wanted: [UInt64], listAt table: DebugUnit.Value, base: UInt64, in unit: DebugUnit) -> Bool
  {
    let first = unit.rangeTable ?? 12
    // An index into the table of offsets, or an offset into the section.
    let offset =
      table.form == 0x23
      ? first &+ lists.number(Int(truncatingIfNeeded: first &+ table.value &* 4), 4) : table.value
    var base = base, row = Cursor(lists, at: Int(truncatingIfNeeded: offset))
    while row.isInside {
      let range: (start: UInt64, end: UInt64)
      switch row.number(1) {
      case 1:
        base = address(row.compact(), in: unit)
        continue
      case 2: range = (address(row.compact(), in: unit), address(row.compact(), in: unit))
      case 3:
        let start = address(row.compact(), in: unit)
        range = (start, start &+ row.compact())
      case 4: range = (base &+ row.compact(), base &+ row.compact())
      case 5:
        base = row.number(unit.addressSize)
        continue
      case 6: range = (row.number(unit.addressSize), row.number(unit.addressSize))
      case 7:
        let start = row.number(unit.addressSize)
        range = (start, start &+ row.compact())
      default: return false
      }
      if wanted.containsAny(from: range.start, to: range.end) { return true }
    }
    return false
  }
}

extension [UInt64] {
  /// Whether an element is in the range; `end` is not. The elements are in ascending order.
  fileprivate func containsAny(from start: UInt64, to end: UInt64) -> Bool {
    guard let first, let last, start <= last, end > first else { return false }
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < start { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] < end
  }
}
