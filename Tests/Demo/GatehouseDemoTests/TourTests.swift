import GatehouseBase
import GatehouseDemo
import GatehouseLocal
import HangGuard
import Synchronization
import Testing

/// The tour itself, with promises of a test. The real ones are shown by `DemoTests`.
struct TourTests {
  @Test func `a promise that fails, one that throws and one that tests nothing are counted, and say why`() async throws
  {
    let stops = [
      TourStop("It holds") { _, evidence in
        evidence.expect("the answer", 1, is: 1)
        evidence.note = "1 answer"
      },
      TourStop("It fails") { _, evidence in evidence.expect("the answer", 2, is: 1) },
      TourStop("It throws") { _, _ in throw CancellationError() },
      TourStop("It is empty") { _, _ in },
    ]
    let lines = Mutex<[String]>([])
    let tour = Tour(on: try Stage(in: nil), columns: 80, stops: stops) { line in lines.withLock { $0.append(line) } }
    #expect(try await tour.run() == 3)
    let printed = lines.withLock { $0 }
    #expect(
      Array(printed.dropLast()) == [
        "✓ It holds\n    1 answer",
        "✗ It fails\n    the answer: expected 1, seen 2",
        "✗ It throws\n    an error: expected none, seen CancellationError()",
        "✗ It is empty\n    nothing was looked at",
      ])
    #expect(printed.last?.hasPrefix("\n1 of 4 promises held, in ") == true)
  }

  @Test func `the provider is closed before its folder is removed, as it writes after its answers`() async throws {
    let stage = try Stage(in: nil)
    #expect(try await Tour(on: stage, columns: 80, stops: []) { _ in }.run() == 0)
    let error = await #expect(throws: AuthError.self) { try await stage.provider.open() }
    #expect(error?.code == .closed)
  }

  /// The limit is none here, and ten minutes for users.
  @Test func `a promise that hangs ends the program, which says what it waited for`() async throws {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      endIfItHangs()
      let (never, source) = AsyncStream.makeStream(of: Never.self)
      let hanging = TourStop("It ends") { _, _ in for await _ in never {} }
      let stage = try Stage(in: nil)
      _ = try await stage.awaiting("the report") {
        try await Tour(on: stage, columns: 80, stops: [hanging], limit: .zero) { _ in }.run()
      }
      source.finish()
    }
    let errors = try #require(result).standardErrorContent
    #expect(String(decoding: errors, as: UTF8.self) == "✗ It ends\n    waited 0.0 µs for the report\n")
  }
}
