import Testing

/// Each bound that the record or the search meets is said, and a complete record is required with `--complete`.
struct BoundsTests {
  private func lines(c source: String) async throws -> [String] {
    let begin = """
      #include <pthread.h>
      #include <stdlib.h>
      void *dispatch_queue_create(const char *label, void *attributes);
      void dispatch_async_f(void *queue, void *context, void (*work)(void *));
      void dispatch_sync_f(void *queue, void *context, void (*work)(void *));
      void *dispatch_semaphore_create(long value);
      long dispatch_semaphore_signal(void *semaphore);
      long dispatch_semaphore_wait(void *semaphore, unsigned long timeout);
      static pthread_mutex_t *make(void) {
        pthread_mutex_t *mutex = malloc(sizeof *mutex);
        pthread_mutex_init(mutex, NULL);
        return mutex;
      }
      static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
        pthread_mutex_lock(first);
        pthread_mutex_lock(second);
        pthread_mutex_unlock(second);
        pthread_mutex_unlock(first);
      }

      """
    let outcome = try await SmallProgram.run(c: begin + source, ["--complete"])
    #expect(outcome.status == 4, "\(outcome)")
    return outcome.errors.split(separator: "\n").map(String.init)
  }

  private let kinds = "gate queuecheck: the record was incomplete: kinds of waits of which not all were kept: 1"

  /// The registry leads to the last connection, of which it is not known that it leads to the registry.
  @Test func `more pairs of two classes than are kept`() async throws {
    let lines = try await lines(
      c: """
        int main(void) {
          pthread_mutex_t *registry = make(), *last = NULL;
          for (int number = 0; number < 1100; number++) both(last = make(), registry);
          both(registry, last);
        }
        """)
    #expect(lines == [kinds])
  }

  @Test func `more pairs of one class than are kept`() async throws {
    let lines = try await lines(
      c: """
        int main(void) {
          pthread_mutex_t *all[200];
          for (int number = 0; number < 200; number++) all[number] = make();
          for (int low = 0; low < 200; low++)
            for (int high = low + 1; high < 200; high++) both(all[low], all[high]);
        }
        """)
    #expect(lines == [kinds])
  }

  /// The block may be waited for under the lock that it takes. One gate keeps the two apart.
  @Test func `more waits of blocks than are kept`() async throws {
    let lines = try await lines(
      c: """
        static pthread_mutex_t *gate, *lock;
        static void *done;
        static void answer(void *context) {
          pthread_mutex_lock(gate);
          both(lock, make());
          pthread_mutex_unlock(gate);
          dispatch_semaphore_signal(done);
        }
        int main(void) {
          void *queue = dispatch_queue_create("work", NULL);
          gate = make();
          lock = make();
          pthread_mutex_t *caller = make();
          for (int number = 0; number < 300; number++) {
            done = dispatch_semaphore_create(0);
            pthread_mutex_lock(caller);
            dispatch_async_f(queue, NULL, answer);
            dispatch_semaphore_wait(done, ~0ul);
            pthread_mutex_unlock(caller);
          }
          pthread_mutex_lock(gate);
          both(lock, caller);
          pthread_mutex_unlock(gate);
        }
        """)
    #expect(lines.first?.hasPrefix("gate queuecheck: the record was incomplete: kinds of waits") == true, "\(lines)")
  }

  @Test func `more locks beside one wait than are kept`() async throws {
    let lines = try await lines(
      c: """
        int main(void) {
          for (int number = 0; number < 20; number++) pthread_mutex_lock(make());
        }
        """)
    #expect(lines.contains { $0.contains(": locks that were held beside many others: ") }, "\(lines)")
  }
}
