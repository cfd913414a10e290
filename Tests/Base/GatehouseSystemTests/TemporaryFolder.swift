import Foundation
import GatehouseBase
import GatehouseSystem
import Glibc
import Testing

/// Runs `body` with the path of a folder of its own, which is removed afterwards.
func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
  let path = try OpenFolder.makeTemporary("gatehouse-test-", in: ProcessInfo.processInfo.environment["TMPDIR"])
  defer { try? FileManager.default.removeItem(atPath: path) }
  try await body(path)
}

extension String {
  /// The names in the folder at this path, in order.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: self).sorted() } }

  /// The text of the file at this path.
  var text: String { get throws { try String(contentsOfFile: self, encoding: .utf8) } }

  /// The permission bits of what is at this path.
  var mode: Int {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: self)
      return attributes[.posixPermissions] as? Int ?? -1
    }
  }

  /// Writes a file as a careless program does: in place, for its owner only.
  func fill(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: self))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self)
  }

  func makePipe() throws {
    // `unsafe`: the kernel reads the string up to its zero byte.
    try #require(unsafe mkfifo(self, 0o600) == 0)
  }

  func makeLink(to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: self, withDestinationPath: target)
  }

  func makeFolder() throws {
    try FileManager.default.createDirectory(
      atPath: self, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }
}

/// Expects a refusal of what is not safe, with these words, that begins with the path.
func expectUnsafe(
  _ path: String, _ words: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  let error = #expect(throws: SystemError.self, sourceLocation: location) { try body() }
  #expect(error?.isUnsafe == true, "\(error?.description ?? "")", sourceLocation: location)
  #expect(error?.description.hasPrefix(path + " ") == true, "\(error?.description ?? "")", sourceLocation: location)
  #expect(error?.description.contains(words) == true, "\(error?.description ?? "")", sourceLocation: location)
}

/// Expects a call to fail with a number.
func expectFailure(
  _ number: ErrorNumber, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  let error = #expect(throws: SystemError.self, sourceLocation: location) { try body() }
  #expect(error?.number == number, "\(error?.description ?? "")", sourceLocation: location)
}

/// The calls that `body` makes, with their paths.
func calls(of body: () throws -> Void) rethrows -> [String] {
  let calls = Calls()
  try SystemFaults.heard(by: { call, path in calls.add("\(call) \(path)") }) { try body() }
  return calls.all
}

/// What was called. Only the thread that makes the calls hears of them.
final class Calls: @unchecked Sendable {
  private(set) var all: [String] = []

  func add(_ call: String) -> ErrorNumber? {
    all.append(call)
    return nil
  }
}

/// Runs what blocks on a thread of its own, and begins at once: a test that blocks one of Swift's threads may wait for
/// another one that gets none.
///
/// - Returns: awaits the result.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) -> () async throws -> Value {
  let (results, result) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
  Thread.detachNewThread {
    result.yield(Result { try body() })
    result.finish()
  }
  return {
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}

/// A socket that is bound to a path. Its server is dead once the descriptor is closed, and until it listens.
func boundSocket(at path: String) throws -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  // `unsafe`, here and below: the path fits, with its zero byte, and the kernel reads one address.
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  let bound = unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  try #require(bound == 0)
  return descriptor
}
