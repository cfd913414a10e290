import Foundation
import Testing

/// Two locks in both orders, behind something that keeps them apart and that no tool here sees.
struct UnseenGatesTests {
  /// The code that makes each gate, and the code that it keeps apart from other code.
  private static let gates: [String: (made: String, passing: String)] = [
    "a mutex of Synchronization": (
      "let gate = Mutex(0)", "gate.withLock { _ in first.withLock { second.withLock {} } }"
    ),
    "a condition lock": (
      "let gate = NSConditionLock(condition: 0); func gated(_ body: () -> Void) { gate.lock(whenCondition: 0); body(); "
        + "gate.unlock(withCondition: 0) }",
      "gated { first.withLock { second.withLock {} } }"
    ),
    "an actor": (
      "actor Gate { func pass(_ first: NSLock, _ second: NSLock) { first.withLock { second.withLock {} } } }; "
        + "let gate = Gate()",
      "await gate.pass(first, second)"
    ),
    "a semaphore that the submitter takes": (
      "let gate = DispatchSemaphore(value: 1), done = DispatchSemaphore(value: 0); "
        + "func submit(_ body: @escaping @Sendable () -> Void) { gate.wait(); "
        + "DispatchQueue.global().async { body(); gate.signal(); done.signal() }; done.wait() }",
      "submit { first.withLock { second.withLock {} } }"
    ),
  ]

  @Test(arguments: gates.keys.sorted())
  func `a gate that is not seen makes a report, and its suppression hides the report`(name: String) async throws {
    let gate = try #require(Self.gates[name])
    let program = """
      import Dispatch
      import Foundation
      import Synchronization
      \(gate.made)
      let one = NSLock(), other = NSLock()
      func pass(_ first: NSLock, _ second: NSLock) async { \(gate.passing) }
      await pass(one, other)
      await pass(other, one)
      print("lived")
      """
    let outcome = try await SmallProgram.run(swift: program)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    let line = try #require(
      outcome.errors.split(separator: "\n").first { $0.hasPrefix("To suppress it: ") && $0.contains("→") })
    let entry = try #require(line.dropFirst("To suppress it: ".count).split(separator: "}").first)
    try await TemporaryFolder.with { folder in
      let known = entry.replacing("YYYY-MM-DD", with: "2999-01-01")
      try Data("[\(known)}]".utf8).write(to: URL(filePath: "\(folder)/known.json"))
      let hidden = try await SmallProgram.run(swift: program, ["--suppress", "\(folder)/known.json"])
      #expect(hidden.status == 0 && hidden.output == "lived\n", "\(hidden)")
    }
  }
}
