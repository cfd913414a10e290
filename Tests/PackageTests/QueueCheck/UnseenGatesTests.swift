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
    "a lock that is held until a group has ended": (
      "let gate = NSLock(); func work(_ body: @escaping @Sendable () -> Void) { let all = DispatchGroup(); "
        + "gate.withLock { DispatchQueue.global().async(group: all, execute: body); all.wait() } }",
      "work { first.withLock { second.withLock {} } }"
    ),
    "a semaphore that the submitter takes": (
      "let gate = DispatchSemaphore(value: 1), done = DispatchSemaphore(value: 0); "
        + "func submit(_ body: @escaping @Sendable () -> Void) { gate.wait(); "
        + "DispatchQueue.global().async { body(); gate.signal(); done.signal() }; done.wait() }",
      "submit { first.withLock { second.withLock {} } }"
    ),
  ]

  /// Objects of a free list, whose locks are always taken in the order of the objects' numbers. A list that is used
  /// from its end changes their order, and no call tells that they are other objects.
  @Test func `a free list that keeps the locks of its objects makes a report`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <stdio.h>
        static pthread_mutex_t free_list[2];
        int main(void) {
          for (int number = 0; number < 2; number++) pthread_mutex_init(&free_list[number], NULL);
          for (int turn = 0; turn < 2; turn++) {
            pthread_mutex_t *first = &free_list[turn], *second = &free_list[1 - turn];
            pthread_mutex_lock(first);
            pthread_mutex_lock(second);
            pthread_mutex_unlock(second);
            pthread_mutex_unlock(first);
          }
          puts("lived");
        }
        """)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
  }

  /// The object has no call that initializes its lock, as one of C++ has none.
  @Test func `a lock without an initializer that is made under another one makes a report`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
        static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
          pthread_mutex_lock(first);
          pthread_mutex_lock(second);
          pthread_mutex_unlock(second);
          pthread_mutex_unlock(first);
        }
        int main(void) {
          pthread_mutex_lock(&list);
          pthread_mutex_t *object = calloc(1, sizeof *object);
          pthread_mutex_lock(object);
          pthread_mutex_unlock(object);
          pthread_mutex_unlock(&list);
          both(object, &list);
          puts("lived");
        }
        """)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
  }

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
