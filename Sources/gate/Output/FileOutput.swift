import GatehouseBase
import GatehouseSystem

/// A file that a command writes for the user.
enum FileOutput {
  /// Writes a file in one step, durably. A link in its place is replaced, not followed.
  ///
  /// - Parameter replacing: whether a file that is there is replaced; otherwise that is an error, which names
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
  /// - Parameter advice: what to do where a file is there already.
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

  /// Writes over what is at the path, which may be a pipe that another program reads, or a device.
  static func overwrite(_ path: String, with bytes: [UInt8]) throws(AuthError) {
    do throws(SystemError) { try OpenFile(path, .overwriting).write(bytes) } catch {
      guard error.number != .noReader else {
        throw AuthError(.storeFailed, "\(path) is a pipe that no program reads; start its reader first")
      }
      throw failed(path, error)
    }
  }

  /// Opens a file for what is written into it later. What is in it stays until then.
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

/// A file that is open for what is written into it later: whether that is possible is known before the work begins.
final class LaterFile: Sendable {
  let path: String
  private let file: OpenFile

  fileprivate init(_ file: consuming OpenFile, path: String) {
    self.path = path
    self.file = file
  }

  /// Writes over what is in it. Call once.
  func write(_ bytes: [UInt8]) throws(AuthError) {
    do throws(SystemError) {
      try file.empty()
      try file.write(bytes)
    } catch { throw FileOutput.failed(path, error) }
  }
}
