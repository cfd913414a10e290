import GatehouseBase
import GatehouseSystem

/// A file for its owner only (0600) that is written piece by piece, and is at its path only when it is complete.
struct StreamedFile: ~Copyable {
  let path: String
  private let folder: OpenFolder
  private let name: String
  private let temporary: String
  private let file: OpenFile
  private var buffer: [UInt8] = []
  private var isPlaced = false

  /// - Parameter replacing: whether an existing file is replaced at the end.
  init(_ path: String, replacing: Bool) throws(AuthError) {
    let location = FileLocation(path)
    guard !location.name.isEmpty, !path.utf8.contains(0) else {
      throw AuthError(.invalidArgument, "\(path.printable()) is no file's path")
    }
    let temporary = "\(location.name).tmp-" + SystemRandomSource().identifier()
    if let status = try Self.writing(path, { () throws(SystemError) in try FileStatus.at(path, followingLink: true) }) {
      guard status.kind == .file else {
        throw AuthError(.invalidArgument, "\(path.printable()) is no plain file; name another one")
      }
      guard replacing else { throw Self.isThere(path) }
    }
    let folder = try Self.writing(path) { () throws(SystemError) in
      let folder = try OpenFolder(location.folder, followingLink: true)
      try? folder.removeAbandoned(of: location.name)
      return folder
    }
    let file = try Self.writing(path) { () throws(SystemError) in try folder.open(temporary, .making()) }
    // The lock tells another writer of the file that this one is not abandoned.
    _ = try? file.tryLock()
    self.path = path
    name = location.name
    self.temporary = temporary
    self.folder = folder
    self.file = file
  }

  deinit { if !isPlaced { try? folder.remove(temporary) } }

  /// Adds bytes, which may be written later.
  mutating func write(_ bytes: some Sequence<UInt8>) throws(AuthError) {
    buffer += bytes
    if buffer.count >= 256 << 10 { try flush() }
  }

  private mutating func flush() throws(AuthError) {
    try Self.writing(path) { [file = buffer] () throws(SystemError) in try self.file.write(file) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Puts the file at its path, durably.
  mutating func finish(replacing: Bool) throws(AuthError) {
    try flush()
    do throws(SystemError) {
      try file.sync()
      if replacing { try folder.rename(temporary, to: name) } else { try folder.move(temporary, to: name) }
      isPlaced = true
      try folder.sync()
    } catch {
      if error.number == .exists { throw Self.isThere(path) }
      throw Self.failed(path, error)
    }
  }

  /// Removes a plain file, durably.
  ///
  /// - Returns: Whether there was one.
  static func remove(_ path: String) throws(AuthError) -> Bool {
    try writing(path) { () throws(SystemError) in
      guard try FileStatus.at(path)?.kind == .file else { return false }
      let location = FileLocation(path)
      let folder = try OpenFolder(location.folder, followingLink: true)
      try folder.remove(location.name)
      try folder.sync()
      return true
    }
  }

  private static func writing<T: ~Copyable>(
    _ path: String, _ body: () throws(SystemError) -> T
  ) throws(AuthError) -> T {
    do throws(SystemError) { return try body() } catch { throw failed(path, error) }
  }

  private static func failed(_ path: String, _ error: SystemError) -> AuthError {
    AuthError(.storeFailed, "\(path.printable()) could not be written: \(error)")
  }

  private static func isThere(_ path: String) -> AuthError {
    AuthError(
      .invalidArgument,
      "\(path.printable()) is there already, and was not replaced; name another file, or have it replaced")
  }
}
