import GatehouseBase

// Atomic writes: a reader, or the machine after a power failure, finds either the old content or the new.
extension OpenFolder {
  /// Replaces a file's content atomically and durably: writes a file beside it, syncs, renames, and syncs the folder.
  ///
  /// A link with the file's name is replaced, not followed. When this throws before the last sync, the old content is
  /// still in place.
  ///
  /// - Parameter beforeRename: runs when the new content is on the disk under its temporary name; throws to abort.
  /// - Returns: the status of the new file just before the rename. Afterwards the name may already belong to another
  ///   program's file.
  @discardableResult
  package func replace(
    _ name: String, with bytes: [UInt8], _ permissions: FilePermissions = .ownerOnly,
    beforeRename: () throws(SystemError) -> Void = {}
  ) throws(SystemError) -> FileStatus {
    try write(bytes, beside: name, permissions) { (temporary) throws(SystemError) in
      try beforeRename()
      try rename(temporary, to: name)
    }
  }

  /// Creates a file atomically and durably; fails with `.exists` if the name is taken.
  package func create(
    _ name: String, with bytes: [UInt8], _ permissions: FilePermissions = .ownerOnly
  ) throws(SystemError) {
    _ = try write(bytes, beside: name, permissions) { (temporary) throws(SystemError) in try move(temporary, to: name) }
  }

  /// Creates a file under its final name, durably but not atomically. Fails with `.exists` if the name is taken.
  package func make(_ name: String, with bytes: [UInt8]) throws(SystemError) {
    try fill(open(name, .making()), with: bytes, .ownerOnly)
    try sync()
  }

  private func write(
    _ bytes: [UInt8], beside name: String, _ permissions: FilePermissions,
    thenNaming give: (_ temporary: String) throws(SystemError) -> Void
  ) throws(SystemError) -> FileStatus {
    while true {
      let temporary = Self.temporaryPrefix(of: name) + SystemRandomSource().identifier()
      let file = try open(temporary, .making(permissions))
      let written: FileStatus
      do throws(SystemError) {
        // `removeAbandoned` removes no file that cannot be locked. Otherwise it may have locked the file between
        // the opening and the lock, in order to remove it, or have removed it.
        if let isLocked = try? file.tryLock() {
          guard isLocked, try status(of: temporary)?.isSame(as: file.status()) == true else { continue }
        }
        try fill(file, with: bytes, permissions)
        written = try file.status()
        try give(temporary)
        file.unlock()
      } catch {
        try? remove(temporary)
        throw error
      }
      try sync()
      return written
    }
  }

  private func fill(
    _ file: borrowing OpenFile, with bytes: [UInt8], _ permissions: FilePermissions
  ) throws(SystemError) {
    try file.write(bytes)
    // The process's mask may have cleared the owner's permissions.
    if permissions == .ownerOnly { try file.setMode(0o600) }
    try file.sync()
  }

  /// Removes temporary files that killed writers of this file left behind. Only for a caller that excludes other
  /// writers.
  package func removeStrays(of name: String) throws(SystemError) {
    for stray in try strays(of: name) { try remove(stray) }
  }

  /// Removes temporary files that killed writers of this file left behind, but none of an active writer, which holds
  /// its file's lock.
  package func removeAbandoned(of name: String) throws(SystemError) {
    for stray in try strays(of: name) {
      // Files that cannot be opened or locked are kept.
      guard let file = try? openOwn(stray, .reading, .unwritable), (try? file.tryLock()) == true else { continue }
      try remove(stray)
      file.unlock()
    }
  }

  private func strays(of name: String) throws(SystemError) -> [String] {
    let prefix = Self.temporaryPrefix(of: name)
    return try names().filter { stray in
      let rest = stray.utf8.dropFirst(prefix.utf8.count)
      return stray.hasPrefix(prefix) && rest.count == 32 && rest.allSatisfy(Self.isHexadecimal)
    }
  }

  private static func temporaryPrefix(of name: String) -> String { "\(name).tmp-" }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}

/// Writes files atomically by path.
package enum AtomicFile {
  /// Writes a file atomically and durably. Its folder must exist, and may be a link. Never replaces a device, a pipe or
  /// a socket, nor a link to one: `/dev/null` belongs to the whole machine. Removes temporary files that killed writers
  /// of the file left behind.
  ///
  /// - Parameter replacing: whether an existing file is replaced; otherwise this throws `.exists`.
  package static func write(
    _ bytes: [UInt8], to path: String, _ permissions: FilePermissions = .ownerOnly, replacing: Bool = true
  ) throws(SystemError) {
    let location = FileLocation(path)
    let folder = try OpenFolder(location.folder, followingLink: true)
    try? folder.removeAbandoned(of: location.name)
    if replacing {
      if let status = try FileStatus.at(path, followingLink: true), status.kind == .other {
        throw SystemError(unsafe: "is a device, a pipe or a socket, and is not replaced; name a plain file", path: path)
      }
      try folder.replace(location.name, with: bytes, permissions)
    } else {
      try folder.create(location.name, with: bytes, permissions)
    }
  }
}
