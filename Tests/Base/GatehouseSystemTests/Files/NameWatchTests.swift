import Foundation
import GatehouseSystem
import Testing

struct NameWatchTests {
  /// Counts calls; `wait` returns when so many have come.
  private final class Calls: Sendable {
    private let (stream, input) = AsyncStream<Void>.makeStream()
    func note() { input.yield() }
    func wait() async { for await _ in stream { return } }
  }

  @Test func `a file that is written, replaced or removed is told of, another one is not`() async throws {
    try await withTemporaryFolder { folder in
      let (calls, others) = (Calls(), Calls())
      let watch = NameWatch("a", in: folder) { calls.note() }
      let other = NameWatch("b", in: folder) { others.note() }
      await calls.wait()  // what was missed before
      await others.wait()
      try Data("1".utf8).write(to: URL(fileURLWithPath: "\(folder)/a"))
      await calls.wait()
      try Data("2".utf8).write(to: URL(fileURLWithPath: "\(folder)/c"))
      try FileManager.default.moveItem(atPath: "\(folder)/c", toPath: "\(folder)/b")
      await others.wait()
      try FileManager.default.removeItem(atPath: "\(folder)/a")
      await calls.wait()
      other.end()
      withExtendedLifetime(watch) {}
    }
  }

  @Test func `a folder that is not there yet is found when it is`() async throws {
    try await withTemporaryFolder { folder in
      let calls = Calls()
      let watch = NameWatch("a", in: "\(folder)/later") { calls.note() }
      try FileManager.default.createDirectory(atPath: "\(folder)/later", withIntermediateDirectories: false)
      await calls.wait()
      try Data("1".utf8).write(to: URL(fileURLWithPath: "\(folder)/later/a"))
      await calls.wait()
      withExtendedLifetime(watch) {}
    }
  }

  @Test func `of many watches on one folder each is told, and ending one leaves the others`() async throws {
    try await withTemporaryFolder { folder in
      let all = (0..<100).map { _ in Calls() }
      var watches = all.map { calls in NameWatch("a", in: folder) { calls.note() } }
      for calls in all { await calls.wait() }
      watches.removeFirst(50)
      try Data("1".utf8).write(to: URL(fileURLWithPath: "\(folder)/a"))
      for calls in all.dropFirst(50) { await calls.wait() }
      withExtendedLifetime(watches) {}
    }
  }
}
