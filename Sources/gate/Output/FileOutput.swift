import GatehouseBase
import GatehouseSystem

/// Writes files for the user.
enum FileOutput {
  /// Writes a file in one step, durably. If a link is in its place, the link is replaced and not followed.
  ///
  /// - Parameter replacing: whether an existing file is replaced. If not, an existing file is an error, which names
  ///   `--force`.
  static func write(
    _ bytes: [UInt8], to path: String, _ permissions: FilePermissions, replacing: Bool
  ) throws(AuthError) {
    guard replacing else { return try write(new: bytes, to: path, permissions, advice: "--force replaces it") }
    do throws(SystemError) { try AtomicFile.write(bytes, to: path, permissions, replacing: true) } catch {
      throw failed(path, error)
    }
  }

  /// Writes a new file in one step, durably.
  ///
  /// - Parameter advice: what to do if the file exists already.
  static func write(
    new bytes: [UInt8], to path: String, _ permissions: FilePermissions, advice: String = "name another one"
  ) throws(AuthError) {
    do throws(SystemError) { try AtomicFile.write(bytes, to: path, permissions, replacing: false) } catch {
      guard error.number != .exists else {
        throw AuthError(.invalidArgument, "\(path) is there already; \(advice)")
      }
      throw failed(path, error)
    }
  }

  /// Overwrites what is at the path, which may also be a device, or a pipe that another program reads.
  static func overwrite(_ path: String, with bytes: [UInt8]) throws(AuthError) {
    do throws(SystemError) { try OpenFile(path, .overwriting).write(bytes) } catch {
      guard error.number != .noReader else {
        throw AuthError(.storeFailed, "\(path) is a pipe that no program reads; start its reader first")
      }
      throw failed(path, error)
    }
  }

  /// Opens a file that is written to later. Its content stays until then.
  static func open(_ path: String) throws(AuthError) -> LaterFile {
    do throws(SystemError) { return LaterFile(try OpenFile(path, .keeping), path: path) } catch {
      guard error.number != .noReader else {
        throw AuthError(.storeFailed, "\(path) is a pipe that no program reads; start its reader first")
      }
      throw failed(path, error)
    }
  }

  fileprivate static func failed(_ path: String, _ error: SystemError) -> AuthError {
    AuthError(.storeFailed, "\(path) could not be written: \(error)")
  }
}

/// A file that is opened first and written to later. Whether it can be opened is known before the work begins.
final class LaterFile: Sendable {
  let path: String
  private let file: OpenFile

  fileprivate init(_ file: consuming OpenFile, path: String) {
    self.path = path
    self.file = file
  }

  /// Overwrites the content. Call this once.
  func write(_ bytes: [UInt8]) throws(AuthError) {
    do throws(SystemError) {
      try file.empty()
      try file.write(bytes)
    } catch { throw FileOutput.failed(path, error) }
  }
}
