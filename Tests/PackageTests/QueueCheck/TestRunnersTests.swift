import Foundation
import Testing

/// `gate queuecheck -- swift test` over a package of its own, whose tests walk through both orders of a lock and a
/// queue, one after the other: with XCTest, whose methods run on the main thread, and with Swift Testing.
struct TestRunnersTests {
  /// Tests that walk through a cycle, each beside a look-alike that passes both orders behind a gate.
  static let tests = [
    "JournalTests/test": "queue journal", "RoomTests/": "queue keys", "RoomTests/waiting": "queue keys",
  ]

  @Test(.releaseCheck) func `a cycle is found in one test method, and its look-alike is not reported`() async throws {
    try await TemporaryFolder.with { folder in
      for (path, text) in Self.files {
        let file = URL(filePath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
      let built = try await ChildProcess("swift", ["build", "--build-tests", "--package-path", folder]).run()
      try #require(built.succeeded, "\(built)")
      for (test, queue) in Self.tests {
        for (name, isCycle) in [("BothOrders", true), ("BehindAGate", false)] {
          let command = ["swift", "test", "--skip-build", "--package-path", folder, "--filter", "\(test)\(name)"]
          let outcome = try await QueueCheckScene.run(command)
          #expect(outcome.status == (isCycle ? 3 : 0), "\(test)\(name): \(outcome)")
          #expect(outcome.errors.contains("potential deadlock") == isCycle, "\(test)\(name): \(outcome)")
          #expect(!isCycle || outcome.errors.contains("→ \(queue) →"), "\(test)\(name): \(outcome)")
          let ran = "\(outcome)".contains("Executed 1 test") || "\(outcome)".contains("Test run with 1 test")
          #expect(ran, "\(test)\(name) did not run: \(outcome)")
        }
      }
    }
  }

  private static let files = [
    "Package.swift": """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(name: "runners", targets: [.testTarget(name: "OldTests"), .testTarget(name: "NewTests")])
    """,
    "Tests/OldTests/JournalTests.swift": """
    import Foundation
    import XCTest

    final class JournalTests: XCTestCase {
      private let gate = NSLock(), lock = NSLock(), queue = DispatchQueue(label: "journal")

      func testBothOrders() {
        XCTAssert(Thread.isMainThread)
        lock.withLock { queue.sync {} }
        queue.sync { lock.withLock {} }
      }

      func testBehindAGate() {
        gate.withLock { lock.withLock { queue.sync {} } }
        gate.withLock { queue.sync { lock.withLock {} } }
      }
    }
    """,
    "Tests/NewTests/RoomTests.swift": """
    import Foundation
    import Testing

    struct RoomTests {
      private let gate = NSLock(), guests = NSLock(), keys = DispatchQueue(label: "keys")

      @Test func BothOrders() {
        guests.withLock { keys.sync {} }
        keys.sync { guests.withLock {} }
      }

      @Test func BehindAGate() {
        gate.withLock { guests.withLock { keys.sync {} } }
        gate.withLock { keys.sync { guests.withLock {} } }
      }

      @Test func waitingBothOrders() async {
        guests.withLock { keys.sync {} }
        await Task.yield()
        keys.sync { guests.withLock {} }
      }

      @Test func waitingBehindAGate() async {
        gate.withLock { guests.withLock { keys.sync {} } }
        await Task.yield()
        gate.withLock { keys.sync { guests.withLock {} } }
      }
    }
    """,
  ]
}
