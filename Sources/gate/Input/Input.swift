import Foundation
import GatehouseBase

/// What a command reads: standard input, or a file. Never more than it can use.
enum Input {
  case standard
  case file(String)

  /// All bytes; refuses more than `limit`, and what cannot be read.
  func bytes(limit: Int) throws(AuthError) -> [UInt8] {
    let bytes = try bytes(atMost: limit + 1)
    guard bytes.count <= limit else { throw tooLong(limit) }
    return bytes
  }

  /// All text; one line end at its end is not part of it.
  func line(limit: Int) throws(AuthError) -> String {
    var bytes = try bytes(atMost: limit + 3)[...]
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard bytes.count <= limit else { throw tooLong(limit) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "\(name) is not UTF-8")
    }
    return text
  }

  /// The first bytes, up to a number.
  private func bytes(atMost most: Int) throws(AuthError) -> [UInt8] {
    do {
      let handle = try opened()
      var bytes: [UInt8] = []
      while bytes.count < most, let chunk = try handle.read(upToCount: most - bytes.count), !chunk.isEmpty {
        bytes += chunk
      }
      return bytes
    } catch {
      throw AuthError(.storeUnreadable, "\(name) cannot be read: \(error.localizedDescription)")
    }
  }

  private func tooLong(_ limit: Int) -> AuthError {
    AuthError(.invalidArgument, "\(name) holds more than \(limit) bytes")
  }

  private func opened() throws -> FileHandle {
    switch self {
    case .standard: .standardInput
    case .file(let path): try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }
  }

  private var name: String {
    switch self {
    case .standard: "standard input"
    case .file(let path): path
    }
  }
}
