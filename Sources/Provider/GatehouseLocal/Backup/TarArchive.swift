import GatehouseBase

/// An archive of files in the format that `tar` reads (POSIX ustar).
///
/// Reading accepts only archives that writing produces: regular files with mode 0600, no links, no folders, no owners,
/// nothing after the end. Every other archive is refused, so that no field of a hostile archive has an effect.
enum TarArchive {
  struct Entry: Sendable, Equatable {
    /// The name, at most 100 bytes of UTF-8.
    var name: String
    var bytes: [UInt8]
  }

  private static let block = 512

  /// - Parameter time: the time of each file, in seconds since 1970.
  static func write(_ entries: [Entry], at time: Int64) -> [UInt8] {
    var archive: [UInt8] = []
    archive.reserveCapacity(entries.reduce(2 * block) { $0 + 2 * block + $1.bytes.count })
    for entry in entries {
      archive += header(name: Array(entry.name.utf8), size: entry.bytes.count, time: time)
      archive += entry.bytes
      archive += [UInt8](repeating: 0, count: padding(entry.bytes.count))
    }
    return archive + [UInt8](repeating: 0, count: 2 * block)
  }

  /// Returns the files; `nil` for an archive that `write` did not make, or with more files than `limit`.
  static func read(_ archive: [UInt8], limit: Int) -> [Entry]? {
    var entries: [Entry] = []
    var rest = archive[...]
    while rest.count > 2 * block {
      guard entries.count < limit else { return nil }
      let given = rest.prefix(block)
      let start = given.startIndex
      let name = given.prefix(100).prefix { $0 != 0 }
      guard let size = number(given[(start + 124)..<(start + 135)]),
        let time = number(given[(start + 136)..<(start + 147)]),
        // The whole header must be equal to the one that `write` would have made.
        given.elementsEqual(header(name: Array(name), size: size, time: Int64(time))),
        let text = String(validating: name, as: UTF8.self)
      else { return nil }
      rest = rest.dropFirst(block)
      guard rest.count >= size + padding(size) + 2 * block else { return nil }
      entries.append(Entry(name: text, bytes: Array(rest.prefix(size))))
      rest = rest.dropFirst(size)
      guard rest.prefix(padding(size)).allSatisfy({ $0 == 0 }) else { return nil }
      rest = rest.dropFirst(padding(size))
    }
    guard rest.count == 2 * block, rest.allSatisfy({ $0 == 0 }) else { return nil }
    return entries
  }

  private static func padding(_ size: Int) -> Int { (block - size % block) % block }

  private static func header(name: [UInt8], size: Int, time: Int64) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: block)
    func put(_ bytes: some Sequence<UInt8>, at offset: Int) {
      for (index, byte) in bytes.enumerated() { header[offset + index] = byte }
    }
    put(name.prefix(100), at: 0)
    for (offset, field) in [(100, "0000600"), (108, "0000000"), (116, "0000000"), (329, "0000000"), (337, "0000000")] {
      put(field.utf8, at: offset)
    }
    put(octal(size, digits: 11), at: 124)
    put(octal(Int(time), digits: 11), at: 136)
    put("ustar\0".utf8, at: 257)
    put("00".utf8, at: 263)
    header[156] = UInt8(ascii: "0")
    // The checksum is computed with spaces in its own field.
    put("        ".utf8, at: 148)
    put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + [0], at: 148)
    return header
  }

  private static func octal(_ number: Int, digits: Int) -> [UInt8] {
    let text = Array(String(number, radix: 8).utf8)
    return [UInt8](repeating: UInt8(ascii: "0"), count: max(digits - text.count, 0)) + text
  }

  /// Parses octal digits; eleven of them never overflow.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }
  }
}
