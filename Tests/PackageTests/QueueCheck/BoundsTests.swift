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

  private let uncertain =
    "gate queuecheck: the record was incomplete: possible cycles of waits beside more locks or signals than are kept: 1"

  /// One gate keeps the two orders apart, and beside one of them it is the seventeenth lock or later.
  @Test func `more locks beside one wait than are kept`() async throws {
    let lines = try await lines(
      c: """
        int main(void) {
          pthread_mutex_t *gate = make(), *one = make(), *other = make(), *many[18];
          for (int number = 0; number < 18; number++) pthread_mutex_lock(many[number] = make());
          pthread_mutex_lock(gate);
          both(one, other);
          pthread_mutex_unlock(gate);
          for (int number = 18; number-- > 0;) pthread_mutex_unlock(many[number]);
          pthread_mutex_lock(gate);
          both(other, one);
          pthread_mutex_unlock(gate);
        }
        """)
    #expect(lines == [uncertain])
  }

  @Test func `many locks that are held in one order are no loss`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        static pthread_mutex_t many[40];
        int main(void) {
          for (int number = 0; number < 40; number++) pthread_mutex_init(&many[number], NULL);
          for (int number = 0; number < 40; number++) pthread_mutex_lock(&many[number]);
        }
        """, ["--complete"])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
  }

  /// Each of two queues waits for an answer of the other, after it has given five signals.
  @Test func `more signals before an answer than are kept`() async throws {
    let lines = try await lines(
      c: """
        struct call { void *other, *done; };
        static void give(void *done) { dispatch_semaphore_signal(done); }
        static void ask(void *given) {
          struct call *call = given;
          for (int number = 0; number < 5; number++) dispatch_semaphore_signal(dispatch_semaphore_create(0));
          dispatch_async_f(call->other, call->done, give);
          dispatch_semaphore_wait(call->done, ~0ul);
        }
        int main(void) {
          void *one = dispatch_queue_create("one", NULL), *other = dispatch_queue_create("other", NULL);
          struct call first = {other, dispatch_semaphore_create(0)}, second = {one, dispatch_semaphore_create(0)};
          dispatch_sync_f(one, &first, ask);
          dispatch_sync_f(other, &second, ask);
        }
        """)
    #expect(lines == [uncertain])
  }

  private static let signals = """
    #include <pthread.h>
    #include <semaphore.h>
    #include <stddef.h>
    static pthread_mutex_t locks[10], mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    static sem_t signal, started, go;
    static void take(int number) {
      pthread_mutex_lock(&locks[number]);
      pthread_mutex_unlock(&locks[number]);
    }
    static void begin(void) {
      for (int number = 0; number < 10; number++) pthread_mutex_init(&locks[number], NULL);
      sem_init(&signal, 0, 0);
      sem_init(&started, 0, 0);
      sem_init(&go, 0, 0);
    }

    """

  /// Ten locks are held in turn while a thread waits for one signal. Its giver takes the last of them.
  @Test(arguments: [(9, 3), (-1, 0)])
  func `more waiters of a signal than are kept meet its giver`(taken: Int, status: Int32) async throws {
    let outcome = try await SmallProgram.run(
      c: Self.signals + """
        static void *give(void *given) {
          if (\(taken) >= 0) take(\(taken));
          for (int number = 0; number < 10; number++) sem_post(&signal);
          return given;
        }
        int main(void) {
          pthread_t thread;
          begin();
          pthread_create(&thread, NULL, give, NULL);
          for (int number = 0; number < 10; number++) {
            pthread_mutex_lock(&locks[number]);
            sem_wait(&signal);
            pthread_mutex_unlock(&locks[number]);
          }
          pthread_join(thread, NULL);
        }
        """, ["--complete"])
    #expect(outcome.status == status, "\(outcome)")
  }

  /// The giver comes after the waiter, which holds ten locks that it only tried. It takes the outermost of them, for
  /// which there was no room.
  @Test func `waiters of a signal that its giver does not meet are said`() async throws {
    let outcome = try await SmallProgram.run(
      c: Self.signals + """
        static void *give(void *given) {
          take(0);
          sem_post(&started);
          sem_wait(&go);
          // The waiting thread has it until it waits.
          pthread_mutex_lock(&mutex);
          pthread_cond_signal(&condition);
          pthread_mutex_unlock(&mutex);
          return given;
        }
        int main(void) {
          pthread_t thread;
          begin();
          pthread_create(&thread, NULL, give, NULL);
          sem_wait(&started);
          for (int number = 0; number < 10; number++) pthread_mutex_trylock(&locks[number]);
          pthread_mutex_lock(&mutex);
          sem_post(&go);
          pthread_cond_wait(&condition, &mutex);
          pthread_mutex_unlock(&mutex);
          for (int number = 0; number < 10; number++) pthread_mutex_unlock(&locks[number]);
          pthread_join(thread, NULL);
        }
        """, ["--complete"])
    #expect(outcome.status == 4 && outcome.errors == kinds + "\n", "\(outcome)")
  }

  /// Blocks of one place have left a group, each with a lock of its own, when a thread waits for it under the last one.
  @Test func `members of a group that its waiter does not meet are said`() async throws {
    let lines = try await lines(
      c: """
        void *dispatch_group_create(void);
        void dispatch_group_async_f(void *group, void *queue, void *context, void (*work)(void *));
        long dispatch_group_wait(void *group, unsigned long timeout);
        static void take(void *lock) {
          pthread_mutex_lock(lock);
          pthread_mutex_unlock(lock);
        }
        void *dispatch_get_global_queue(long priority, unsigned long flags);
        int main(void) {
          void *queue = dispatch_get_global_queue(0, 0), *group = dispatch_group_create();
          pthread_mutex_t *locks[10];
          for (int number = 0; number < 10; number++) locks[number] = make();
          for (int number = 0; number < 10; number++) dispatch_group_async_f(group, queue, locks[number], take);
          dispatch_group_wait(group, ~0ul);
          pthread_mutex_lock(locks[9]);
          dispatch_group_wait(group, ~0ul);
          pthread_mutex_unlock(locks[9]);
        }
        """)
    #expect(lines == [kinds])
  }
}
