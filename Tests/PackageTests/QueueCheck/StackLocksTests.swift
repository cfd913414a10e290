import Testing

/// Locks in the frame of a call, which no call initialized and which older threads take.
struct StackLocksTests {
  private static func program(_ main: String) -> String {
    """
    #include <atomic>
    #include <condition_variable>
    #include <cstdio>
    #include <functional>
    #include <mutex>
    #include <thread>
    struct Worker {
      std::mutex mutex;
      std::condition_variable changed;
      std::function<void()> work;
      std::thread thread{[this] { run(); }};
      void run() {
        for (;;) {
          std::unique_lock held(mutex);
          changed.wait(held, [&] { return work != nullptr; });
          auto now = work;
          held.unlock();
          now();
          held.lock();
          work = nullptr;
          changed.notify_all();
        }
      }
      // Gives work, and waits until it has ended.
      void give(std::function<void()> given) {
        submit(given);
        std::unique_lock held(mutex);
        changed.wait(held, [&] { return work == nullptr; });
      }
      void submit(std::function<void()> given) {
        std::unique_lock held(mutex);
        changed.wait(held, [&] { return work == nullptr; });
        work = given;
        changed.notify_all();
      }
    };
    static void both(std::mutex &outer, std::mutex &inner) {
      std::lock_guard first(outer);
      std::lock_guard second(inner);
    }
    __attribute__((noinline)) static void in_both_orders(Worker &worker) {
      std::mutex one, other;
      worker.give([&] { both(one, other); });
      worker.give([&] { both(other, one); });
    }
    __attribute__((noinline)) static void in_one_order(Worker &worker, bool is_reversed) {
      std::mutex one, other;
      worker.give([&] { if (is_reversed) both(other, one); else both(one, other); });
    }
    static std::mutex outer, another;
    static std::atomic<bool> is_taken, is_waiting;
    // Waits for an answer of the worker, which takes a lock first. The answer is given when this thread waits.
    __attribute__((noinline)) static void await_answer(Worker &worker, std::mutex &held, std::mutex &taken) {
      std::mutex mutex;
      std::condition_variable changed;
      bool is_done = false;
      is_taken = is_waiting = false;
      worker.submit([&] {
        { std::lock_guard lock(taken); }
        is_taken = true;
        while (!is_waiting) std::this_thread::yield();
        std::lock_guard lock(mutex);
        is_done = true;
        changed.notify_one();
      });
      while (!is_taken) std::this_thread::yield();
      std::lock_guard around(held);
      std::unique_lock lock(mutex);
      is_waiting = true;
      changed.wait(lock, [&] { return is_done; });
    }
    int main() {
      auto &worker = *new Worker;
      \(main)
      std::puts("lived");
      std::fflush(stdout);
      _Exit(0);
    }
    """
  }

  private static let optimized = ["-O2", "-fomit-frame-pointer"]

  private func run(_ main: String, _ options: [String]) async throws -> ChildProcess.Outcome {
    try await SmallProgram.run(
      Self.program(main), [["clang++", "-std=c++20", "-g", "-pthread"] + options + ["-o", "program", "program.cpp"]])
  }

  @Test(arguments: [[], optimized]) func `both orders of one call's locks are a cycle`(options: [String]) async throws {
    let outcome = try await run("in_both_orders(worker);", options)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("potential deadlock: lock "), "\(outcome)")
    #expect(!outcome.errors.contains("unknown origin"), "\(outcome)")
  }

  /// The second call has its frame where the first one had it.
  @Test(arguments: [[], optimized]) func `the locks of two calls are different ones`(options: [String]) async throws {
    let outcome = try await run("in_one_order(worker, false); in_one_order(worker, true);", options)
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(arguments: [[], optimized])
  func `an answer under a lock that its giver takes is a cycle`(options: [String]) async throws {
    let outcome = try await run("await_answer(worker, outer, outer);", options)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("potential deadlock: lock outer → "), "\(outcome)")
  }

  /// The condition of the second call is another one, at the same address.
  @Test(arguments: [[], optimized])
  func `an answer under another lock is none, in the same frame again`(options: [String]) async throws {
    let outcome = try await run(
      "await_answer(worker, outer, another); await_answer(worker, outer, another);", options)
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  /// A spin lock has no room for a mark, and a later thread may have another one at its address.
  @Test func `a run without findings says how often locks of unknown origin were taken`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        static __thread pthread_spinlock_t own = 1;
        static void *run(void *given) {
          for (int turn = 0; turn < 2; turn++) {
            pthread_spin_lock(&own);
            pthread_spin_unlock(&own);
          }
          return given;
        }
        int main(void) {
          pthread_t thread;
          pthread_create(&thread, NULL, run, NULL);
          pthread_join(thread, NULL);
        }
        """)
    let line = "gate queuecheck: locks of unknown origin were taken 2 times, and not followed\n"
    #expect(outcome.status == 0 && outcome.errors == line, "\(outcome)")
  }
}
