import Foundation
import Gatehouse
import GatehouseBase
import Glibc

/// What a command reads: standard input, or a file. Never more than it can use, and only what is there to be read: the
/// command waits for standard input alone.
enum Input {
  case standard
  case file(String)

  /// All bytes; refuses more than `limit`, and what cannot be read.
  func bytes(limit: Int) throws(AuthError) -> [UInt8] {
    guard let bytes = try bytes(atMost: limit) else { throw tooLong(limit) }
    return bytes
  }

  /// All text; one line end at its end is not part of it.
  func line(limit: Int) throws(AuthError) -> String {
    guard var bytes = try bytes(atMost: limit + 2)?[...] else { throw tooLong(limit) }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard bytes.count <= limit else { throw tooLong(limit) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "\(name) is not UTF-8")
    }
    return text
  }

  /// All bytes, or `nil` if they are more than `limit`.
  private func bytes(atMost limit: Int) throws(AuthError) -> [UInt8]? {
    if let descriptor { return try Self.read(descriptor, atMost: limit, name) }
    do throws(FileFailure) {
      let file = try POSIXFile(opening: name, O_RDONLY)
      if try file.status().kind != .other { return try file.readAll(limit: limit) }
    } catch {
      throw AuthError(.storeUnreadable, "\(name) cannot be read: \(error.reason)")
    }
    throw AuthError(.invalidArgument, "\(name) is a pipe or a device; name a plain file, or /dev/stdin")
  }

  private static func read(_ descriptor: Int32, atMost limit: Int, _ name: String) throws(AuthError) -> [UInt8]? {
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    var bytes: [UInt8] = []
    do {
      while bytes.count <= limit, let chunk = try handle.read(upToCount: limit + 1 - bytes.count), !chunk.isEmpty {
        bytes += chunk
      }
    } catch {
      throw AuthError(.storeUnreadable, "\(name) cannot be read: \(error.localizedDescription)")
    }
    return bytes.count > limit ? nil : bytes
  }

  private func tooLong(_ limit: Int) -> AuthError {
    AuthError(.invalidArgument, "\(name) holds more than \(limit) bytes")
  }

  /// The descriptor of an input that the caller has opened for us: standard input, or the pipe of `<(…)` in a shell.
  private var descriptor: Int32? {
    guard case .file(let path) = self, path != "/dev/stdin" else { return STDIN_FILENO }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      if let number = Int32(path.dropFirst(folder.count)), number >= 0 { return number }
    }
    return nil
  }

  private var name: String {
    switch self {
    case .standard: "standard input"
    case .file(let path): path
    }
  }
}
