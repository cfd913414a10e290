import Foundation
import GatehouseJOSE
import Testing

/// `gate queuecheck` finds the cycle in a run that does not hang, in a program that links nothing of ours.
struct CyclesTests {
  /// Every cycle that the program can play, with its classes; queues have their names.
  static let cycles: [String: Set<String>] = [
    "two queues": ["queue accounts", "queue billing"],
    "a queue and a mutex": ["queue queue", "lock"],
    "a queue and NSLock": ["queue queue", "lock"],
    "two mutexes": ["lock"],
    "three queues": ["queue a", "queue b", "queue c"],
    "through the target": ["queue target", "queue other"],
    "asynchronous blocks": ["queue a", "queue b"],
    "a barrier": ["queue shared", "lock"],
    "a semaphore as completion": ["queue a", "queue b"],
    "a group": ["queue a", "queue b"],
    "a work item": ["queue a", "queue b"],
    "from a work item": ["queue a", "queue b"],
    "a semaphore as lock": ["queue queue", "lock"],
    "a read-write lock": ["queue queue", "lock"],
    "after a condition": ["lock"],
    "main and a queue": ["queue main", "queue queue"],
    "main that dispatch drains": ["queue main", "queue queue"],
    "an operation whose end is seen before it is announced": ["queue images", "queue disk"],
    "an owner that goes while its queue is busy": ["queue connection", "lock"],
    "a pool that is entered while it closes": ["queue reader", "lock"],
    "a pool that others leave": ["queue reader", "lock"],
    "a pool that is entered again": ["lock", "queue reader"],
    "two of one class": ["queue account", "queue account (2)"],
  ]

  @Test(arguments: cycles.keys.sorted())
  func `a cycle is found before it closes`(name: String) async throws {
    let findings = try await QueueCheckScene.findings("cycle", name)
    let finding = try #require(findings.first, "nothing was found")
    #expect(findings.count == 1 && finding["kind"]?.string == "potential deadlock")
    let held = (finding["waits"]?.array ?? []).compactMap { $0["held"]?.string }
    // The compiler may or may not make one call of both.
    let isOneCall = name == "two of one class" && Set(held) == ["queue account"]
    #expect(isOneCall || Set(held.map { $0.hasPrefix("lock") ? "lock" : $0 }) == Self.cycles[name])
  }

  @Test func `every cycle that the program knows is tried`() async throws {
    #expect(try await Set(QueueCheckScene.names(of: "cycle")) == Set(Self.cycles.keys))
  }

  @Test func `what cannot hang is not reported`() async throws {
    let names = try await QueueCheckScene.names(of: "look-alike")
    #expect(names.count >= 12)
    for name in names {
      let outcome = try await QueueCheckScene.play("look-alike", name)
      #expect(outcome.status == 0 && outcome.output == "played\n" && outcome.errors.isEmpty, "\(name): \(outcome)")
    }
  }

  @Test func `a thread that releases a queue that others still use is not its last user`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <stddef.h>
        void *dispatch_queue_create(const char *label, void *attributes);
        void dispatch_retain(void *queue);
        void dispatch_release(void *queue);
        void dispatch_async_f(void *queue, void *context, void (*work)(void *));
        void dispatch_sync_f(void *queue, void *context, void (*work)(void *));
        static pthread_mutex_t mutex;
        static void nothing(void *context) {}
        static void take(void *context) {
          pthread_mutex_lock(&mutex);
          pthread_mutex_unlock(&mutex);
        }
        int main(void) {
          pthread_mutex_init(&mutex, NULL);
          void *queue = dispatch_queue_create("shared", NULL);
          dispatch_retain(queue);
          dispatch_async_f(queue, NULL, nothing);
          dispatch_sync_f(queue, NULL, nothing);
          pthread_mutex_lock(&mutex);
          dispatch_sync_f(queue, NULL, nothing);
          dispatch_release(queue);
          pthread_mutex_unlock(&mutex);
          dispatch_async_f(queue, NULL, take);
          dispatch_sync_f(queue, NULL, nothing);
        }
        """)
    #expect(outcome.status == 3 && outcome.errors.contains("queue shared"), "\(outcome)")
  }

  @Test func `both stacks of every wait are told by function, file and line`() async throws {
    let waits = try await QueueCheckScene.findings("cycle", "two queues").first?["waits"]?.array ?? []
    #expect(waits.count == 2)
    for wait in waits {
      for stack in ["heldAt", "askedAt"] {
        let frame = try #require(wait[stack]?.array?.first)
        #expect(frame["file"]?.string?.hasSuffix("Tests/WaitingProgram/Cycles.swift") == true)
        #expect(frame["line"]?.integer == 8 && frame["function"]?.string?.contains("closure") == true)
      }
      #expect(wait["heldSite"]?.string == "Cycles.swift:7")
    }
  }
}
