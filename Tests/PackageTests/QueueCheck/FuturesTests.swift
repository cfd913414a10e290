import Testing

/// Futures of libstdc++ wait inside the library, and not by a call of the C library that could be seen.
struct FuturesTests {
  /// A future is awaited under a lock. Its fulfiller takes a lock before it gives the value, while it is awaited.
  private static func program(_ taken: String, pool: Bool) -> String {
    let give = pool ? "task.give([&] { fulfill(value); });" : "std::thread giver([&] { fulfill(value); });"
    return """
      #include <condition_variable>
      #include <cstdio>
      #include <cstring>
      #include <functional>
      #include <future>
      #include <mutex>
      #include <string>
      #include <thread>
      #include <unistd.h>
      static std::mutex lock, other;
      static std::atomic<bool> is_released, is_awaited;
      static bool main_sleeps() {
        char text[512] = {0};
        FILE *file = std::fopen(("/proc/self/task/" + std::to_string(getpid()) + "/stat").c_str(), "r");
        std::fread(text, 1, sizeof text - 1, file);
        std::fclose(file);
        return std::strrchr(text, ')')[2] == 'S';
      }
      static void fulfill(std::promise<int> &value) {
        { std::lock_guard held(\(taken)); }
        is_released = true;
        // The value is given after a thread has begun to wait for it.
        while (!is_awaited || !main_sleeps()) std::this_thread::yield();
        value.set_value(1);
      }
      struct Task {
        std::mutex mutex;
        std::condition_variable changed;
        std::function<void()> work;
        void give(std::function<void()> given) {
          { std::lock_guard held(mutex); work = given; }
          changed.notify_one();
        }
        void run() {
          std::unique_lock held(mutex);
          changed.wait(held, [&] { return work != nullptr; });
          held.unlock();
          work();
        }
      };
      int main() {
        std::promise<int> value;
        auto future = value.get_future();
        Task task;
        \(pool ? "std::thread giver([&] { task.run(); });" : "")
        \(give)
        while (!is_released) std::this_thread::yield();
        {
          std::lock_guard held(lock);
          is_awaited = true;
          future.get();
        }
        giver.join();
        std::puts("lived");
      }
      """
  }

  @Test(arguments: [false, true])
  func `a future under a lock that its fulfiller needs is a cycle`(pool: Bool) async throws {
    let outcome = try await SmallProgram.run(cxx: Self.program("lock", pool: pool))
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("potential deadlock: lock lock → "), "\(outcome)")
    #expect(outcome.errors.contains("through future "), "\(outcome)")
  }

  /// The library runs the function inside an initializer, and the thread that waits for the value joins the thread that
  /// gives it: the lock is waited for by all three.
  @Test(arguments: ["std::async(std::launch::async, work)", "std::async(std::launch::async, [] { work(); })"])
  func `a function that runs asynchronously is one report`(made: String) async throws {
    let outcome = try await SmallProgram.run(
      cxx: """
        #include <atomic>
        #include <cstdio>
        #include <future>
        #include <mutex>
        static std::mutex lock;
        static std::atomic<bool> is_released;
        static void work() {
          { std::lock_guard held(lock); }
          is_released = true;
        }
        int main() {
          auto future = \(made);
          while (!is_released) std::this_thread::yield();
          {
            std::lock_guard held(lock);
            future.get();
          }
          std::puts("lived");
        }
        """)
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("gate queuecheck: 1 of 1\n"), "\(outcome)")
    #expect(outcome.errors.contains("potential deadlock: lock lock → "), "\(outcome)")
  }

  @Test(arguments: [false, true])
  func `a future under another lock is none`(pool: Bool) async throws {
    let outcome = try await SmallProgram.run(cxx: Self.program("other", pool: pool))
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }
}
