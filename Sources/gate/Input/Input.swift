import Foundation
import GatehouseBase

/// What a command reads: standard input, or a file. Never more than it can use.
enum Input {
  case standard
  case file(String)

  /// All bytes; refuses more than `limit`, and what cannot be read.
  func bytes(limit: Int) throws(AuthError) -> [UInt8] {
    do {
      let handle = try opened()
      var bytes: [UInt8] = []
      while bytes.count <= limit, let chunk = try handle.read(upToCount: limit + 1 - bytes.count), !chunk.isEmpty {
        bytes += chunk
      }
      guard bytes.count <= limit else {
        throw AuthError(.invalidArgument, "\(name) holds more than \(limit) bytes")
      }
      return bytes
    } catch let error as AuthError {
      throw error
    } catch {
      throw AuthError(.storeUnreadable, "\(name) cannot be read: \(error.localizedDescription)")
    }
  }

  /// All text; one line end at its end is not part of it.
  func line(limit: Int) throws(AuthError) -> String {
    var bytes = try bytes(limit: limit + 2)[...]
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard bytes.count <= limit else { throw AuthError(.invalidArgument, "\(name) holds more than \(limit) bytes") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AuthError(.invalidArgument, "\(name) is not UTF-8")
    }
    return text
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
