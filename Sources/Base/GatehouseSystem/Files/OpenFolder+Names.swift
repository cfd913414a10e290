import Glibc

// Changes to the names in a folder. Each change is atomic; `sync()` writes it to the disk.
extension OpenFolder {
  /// Renames a file; replaces any file with the new name.
  package func rename(_ name: String, to other: String) throws(SystemError) {
    let (name, other) = (try checked(name), try checked(other))
    try systemCall("rename", path(of: other), passing: name, other) {
      unsafe renameat(descriptor, name, descriptor, other)
    }
  }

  /// Renames a file; fails with `.exists` if the new name is taken.
  package func move(_ name: String, to other: String) throws(SystemError) {
    do throws(SystemError) { try rename(name, to: other, flags: 1) } catch {
      // Not every file system supports `RENAME_NOREPLACE`. With a hard link, the file has both names for a moment.
      guard error.number == .invalid || error.number == .notImplemented else { throw error }
      try link(name, to: other)
      try remove(name)
    }
  }

  /// Swaps two files or folders. Fails with `.notImplemented` if the system library does not support it, and with
  /// `.invalid` if the file system does not.
  package func exchange(_ name: String, with other: String) throws(SystemError) {
    try rename(name, to: other, flags: 2)
  }

  /// - Parameter flags: 1 for `RENAME_NOREPLACE`, 2 for `RENAME_EXCHANGE`.
  private func rename(_ name: String, to other: String, flags: UInt32) throws(SystemError) {
    typealias Function =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    let (name, other) = (try checked(name), try checked(other))
    try systemCall("renameat2", path(of: other), passing: name, other) { () -> Int32 in
      // Swift's Glibc module omits `renameat2`, because glibc declares it only for `_GNU_SOURCE`.
      guard let symbol = unsafe dlsym(nil, "renameat2") else {
        errno = ENOSYS
        return -1
      }
      // `unsafe`: the type is the signature of `renameat2(2)`.
      return unsafe unsafeBitCast(symbol, to: Function.self)(descriptor, name, descriptor, other, flags)
    }
  }

  /// Adds a second name to a file; fails with `.exists` if the name is taken.
  package func link(_ name: String, to other: String) throws(SystemError) {
    let (name, other) = (try checked(name), try checked(other))
    try systemCall("link", path(of: other), passing: name, other) {
      unsafe linkat(descriptor, name, descriptor, other, 0)
    }
  }

  /// Removes a file's name.
  package func remove(_ name: String) throws(SystemError) {
    let name = try checked(name)
    try systemCall("unlink", path(of: name), passing: name) { unsafe unlinkat(descriptor, name, 0) }
  }

  /// Lets every user connect to a socket (0666). Only for a folder that no other user can write to: a link in the
  /// socket's place would be followed.
  package func openSocket(_ name: String) throws(SystemError) {
    let name = try checked(name)
    try systemCall("fchmodat", path(of: name), passing: name) { unsafe fchmodat(descriptor, name, 0o666, 0) }
  }

  /// Removes a file, or a folder with all its content; follows no link. Not atomic: other threads and processes may
  /// remove files there meanwhile, and for what they add it looks up to a hundred times.
  package func removeAll(_ name: String) throws(SystemError) {
    guard try status(of: name)?.kind == .folder else { return try remove(name) }
    let inner = OpenFolder(try open(name))
    var looks = 0
    while true {
      for name in try inner.names() {
        do throws(SystemError) { try inner.removeAll(name) } catch {
          guard error.number == .noSuchFile else { throw error }
        }
      }
      looks += 1
      do throws(SystemError) {
        try systemCall("rmdir", path(of: name), passing: name) { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }
        return
      } catch {
        guard error.number == .notEmpty, looks < 100 else { throw error }
      }
    }
  }

  /// The names in this folder, without `.` and `..`, in no particular order.
  package func names() throws(SystemError) -> [String] {
    // A stream owns its descriptor and moves its offset, so it gets one of its own.
    let own = try systemCall("open", path) { unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    // `unsafe`: the stream is opened, used and closed here; an entry is valid until the next one is read.
    guard let stream = unsafe fdopendir(own) else {
      let number = ErrorNumber(rawValue: errno)
      close(own)
      throw SystemError(call: "fdopendir", path: path, number: number)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      var name: [UInt8]?
      try systemCall("readdir", path) { () -> Int32 in
        errno = 0
        guard let entry = unsafe readdir(stream) else { return errno == 0 ? 0 : -1 }
        name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
        return 0
      }
      guard let name else { return names }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(String(decoding: name, as: UTF8.self)) }
    }
  }
}
