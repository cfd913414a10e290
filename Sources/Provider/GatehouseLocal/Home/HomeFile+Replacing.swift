import GatehouseBase

extension HomeFile {
  /// Whether anything has this name.
  static func isThere(_ path: String) throws(AuthError) -> Bool { try FileStatus(at: path) != nil }

  /// Writes a file for us alone (0600), and gives it its name when it is whole and on the disk. A file that has the
  /// name is replaced in that one step; it is untouched when this throws.
  static func write(_ bytes: [UInt8], to path: String) throws(AuthError) {
    let temporary = path + ".tmp-" + SystemRandomSource().identifier()
    do throws(AuthError) {
      let file = try HomeFile(making: temporary)
      try file.append(bytes)
      try file.synchronize()
      guard Kernel.rename(temporary, to: path) == 0 else { throw KernelError.latest.refusal("make \(path)") }
    } catch {
      _ = Kernel.remove(temporary)
      throw error
    }
    try synchronizeFolder(of: path)
  }

  /// Returns when the name of a file is on the disk.
  static func synchronizeFolder(of path: String) throws(AuthError) {
    try HomeFile(readingNamed: folder(of: path)).synchronize()
  }

  /// The folder that a path's last name is in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
