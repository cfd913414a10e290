import GatehouseBase
import GatehouseSystem

extension FileSettings {
  /// Reads the file at a path. Refuses a file that other users could change, because it decides who can sign in.
  init(at path: String) throws(AuthError) {
    SlowWork.begins(.file)
    let (bytes, isOpenToReaders): ([UInt8]?, Bool)
    do throws(SystemError) {
      let file = try OpenFile(path)
      let status = try file.status()
      try status.requireSettings(at: path)
      isOpenToReaders = status.isOpenToReaders
      bytes = try file.readAll(limit: JSONLimits.standard.bytes)
    } catch {
      throw AuthError(error.isUnsafe ? .providerUnsafe : .providerUnavailable, "the settings cannot be read: \(error)")
    }
    guard let bytes else {
      throw AuthError(.jsonTooLarge, "\(path.printable()) is longer than \(JSONLimits.standard.bytes) bytes")
    }
    try self.init(parsing: bytes, name: path)
    guard !hasSecrets || !isOpenToReaders else {
      throw AuthError(
        .providerUnsafe,
        "\(path.printable()) has secrets, and other users can read it; run: chmod 600 '\(path.printable())'")
    }
  }
}
