import GatehouseQueues
import GatehouseWaits

/// The names of global variables, from the symbol tables of a program's images. A table is read once, when the first
/// name in it is asked for.
final class GlobalVariables: Sendable {
  private struct Table: Sendable {
    let base: UInt64
    /// The variables in the order of their addresses.
    let variables: [ELFFile.Symbol]

    init(_ path: String) {
      let file = ELFFile(path: path)
      base = file?.base ?? 0
      variables = (file?.symbols ?? []).filter { $0.isDefined && $0.isVariable && !$0.name.isEmpty }
        .sorted { $0.address < $1.address }
    }

    func name(of address: UInt64) -> String? {
      var low = 0, high = variables.count
      while low < high {
        let middle = (low + high) / 2
        if variables[middle].address <= address { low = middle + 1 } else { high = middle }
      }
      guard low > 0 else { return nil }
      let variable = variables[low - 1], offset = address - variable.address
      guard offset < max(variable.size, 1) else { return nil }
      let name =
        CPlusPlusName(variable.name)?.description ?? SwiftVariableName(variable.name)?.description ?? variable.name
      return offset == 0 ? name : "\(name) + \(offset)"
    }
  }

  private let tables = Lock([String: Table]())

  /// Returns the variable that contains the address; `nil` if it is in no table.
  ///
  /// - Parameters:
  ///   - path: the image that contains the variable.
  ///   - offset: the address, counted from the image's first byte.
  func name(in path: String, at offset: UInt64) -> String? {
    let known = tables.withLock { $0[path] }
    let table = known ?? Table(path)
    if known == nil { tables.withLock { $0[path] = table } }
    return table.name(of: table.base &+ offset)
  }
}

/// The name of a C++ variable, from its mangled name (Itanium ABI): names and namespaces, but no templates.
struct CPlusPlusName: CustomStringConvertible {
  let description: String

  /// `nil` for other names.
  init?(_ mangled: String) {
    guard mangled.hasPrefix("_Z") else { return nil }
    var rest = mangled.utf8.dropFirst(2)
    let isNested = rest.first == UInt8(ascii: "N")
    if isNested { rest = rest.dropFirst() }
    var parts: [String] = []
    while let first = rest.first, first != UInt8(ascii: "E") {
      if first == UInt8(ascii: "L") { rest = rest.dropFirst() }
      let digits = rest.prefix { 48...57 ~= $0 }
      guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0 else { return nil }
      rest = rest.dropFirst(digits.count)
      guard rest.count >= count else { return nil }
      let part = String(decoding: rest.prefix(count), as: UTF8.self)
      parts.append(part == "_GLOBAL__N_1" ? "(anonymous)" : part)
      rest = rest.dropFirst(count)
      if !isNested { break }
    }
    guard !parts.isEmpty else { return nil }
    description = parts.joined(separator: "::")
  }
}
