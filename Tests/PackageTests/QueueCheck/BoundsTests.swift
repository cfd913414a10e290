import Testing

/// Each bound that the record or the search meets is said, and a complete record is required with `--complete`.
struct BoundsTests {
  private func lines(c source: String, limit: String? = nil) async throws -> [String] {
    let begin = """
      #include <pthread.h>
      #include <stdlib.h>
      void *dispatch_queue_create(const char *label, void *attributes);
      void dispatch_set_target_queue(void *queue, void *target);
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
    let outcome = try await SmallProgram.run(c: begin + source, ["--complete"], limit: limit)
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

  /// Programs that fill a table of the record. Its file is limited to a size in which it has 128 threads, one row for
  /// a thread that holds more than 32 things, 512 classes, 1,024 waits, 64 unattributed ones and 1,024 queues.
  private static let tables: [String: String] = [
    "threads": """
    static pthread_barrier_t together;
    static void *run(void *given) {
      pthread_barrier_wait(&together);
      return given;
    }
    int main(void) {
      pthread_t threads[140];
      pthread_barrier_init(&together, NULL, 140);
      for (int number = 0; number < 140; number++) pthread_create(&threads[number], NULL, run, NULL);
      for (int number = 0; number < 140; number++) pthread_join(threads[number], NULL);
    }
    """,
    "holds, of threads that hold very many things": """
    static void *run(void *given) {
      for (int number = 0; number < 40; number++) pthread_mutex_lock(make());
      return given;
    }
    int main(void) {
      pthread_t thread;
      run(NULL);
      pthread_create(&thread, NULL, run, NULL);
      pthread_join(thread, NULL);
    }
    """,
    "classes of queues and locks": """
    int main(void) {
      char label[] = "aa";
      for (int number = 0; number < 600; number++) {
        label[0] = 'a' + number / 26;
        label[1] = 'a' + number % 26;
        dispatch_queue_create(label, NULL);
      }
    }
    """,
    "waits": """
    int main(void) {
      pthread_mutex_t *all[60];
      for (int number = 0; number < 60; number++) all[number] = make();
      for (int low = 0; low < 60; low++)
        for (int high = low + 1; high < 60; high++) both(all[low], all[high]);
    }
    """,
    "unattributed waits": """
    static void ask(void *given) { dispatch_semaphore_wait(given, ~0ul); }
    int main(void) {
      char label[] = "aa";
      for (int number = 0; number < 80; number++) {
        label[0] = 'a' + number / 26;
        label[1] = 'a' + number % 26;
        void *done = dispatch_semaphore_create(0);
        dispatch_semaphore_signal(done);
        dispatch_sync_f(dispatch_queue_create(label, NULL), done, ask);
      }
    }
    """,
    "queues of the state at a hang": """
    int main(void) {
      for (int number = 0; number < 1100; number++) dispatch_queue_create("queue", NULL);
    }
    """,
  ]

  @Test(arguments: tables.keys.sorted())
  func `a table of the record that is full is said`(what: String) async throws {
    let lines = try await lines(c: try #require(Self.tables[what]), limit: "-f 2500")
    let begin = "gate queuecheck: the record was incomplete: \(what): "
    #expect(lines.contains { $0.hasPrefix(begin) && $0.hasSuffix(" lost") }, "\(lines)")
  }

  @Test func `a queue with more targets than are kept is said`() async throws {
    let lines = try await lines(
      c: """
        static void nothing(void *given) {}
        int main(void) {
          void *queue = dispatch_queue_create("lowest", NULL);
          for (int number = 0; number < 8; number++) {
            void *next = dispatch_queue_create("next", NULL);
            dispatch_set_target_queue(next, queue);
            queue = next;
          }
          dispatch_sync_f(queue, NULL, nothing);
        }
        """)
    #expect(lines == ["gate queuecheck: the record was incomplete: queues, locks and signals: 1 lost"])
  }

  /// Their addresses have the same places in the table of things, as if it was full.
  @Test func `more locks than are kept`() async throws {
    let lines = try await lines(
      c: """
        #include <stdint.h>
        #include <sys/mman.h>
        int main(void) {
          uintptr_t size = 1 << 29, low = (uintptr_t)mmap(
            NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
          for (uintptr_t address = low; address < low + size; address += 8)
            if ((((address >> 3) * 0x9E3779B97F4A7C15u >> 32) & 0x7FFFFF) < 256)
              pthread_spin_init((pthread_spinlock_t *)address, 0);
        }
        """)
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("gate queuecheck: the record was incomplete: queues, locks and signals: ") == true)
  }

  @Test func `more semaphores held by tasks than are kept`() async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        let all = (0..<1_280).map { _ in DispatchSemaphore(value: 1) }
        func take(_ number: Int) { all[number].wait() }
        let tasks = (0..<64).map { task in Task.detached { for number in 0..<20 { take(20 * task + number) } } }
        for task in tasks { await task.value }
        """, ["--complete"])
    let said = "gate queuecheck: the record was incomplete: queues, locks and signals: "
    #expect(outcome.status == 4 && outcome.errors.contains(said), "\(outcome)")
  }

  @Test func `more locks held by one thread than are kept`() async throws {
    let lines = try await lines(
      c: """
        int main(void) {
          for (int number = 0; number < 1100; number++) pthread_mutex_trylock(make());
        }
        """)
    let said = "gate queuecheck: the record was incomplete: holds, of threads that hold very many things: "
    #expect(lines.contains { $0.hasPrefix(said) }, "\(lines)")
  }

  /// 1.3 million waits, no more than 1,024 of each kind.
  @Test func `more waits than are compared with earlier ones`() async throws {
    let lines = try await lines(
      c: """
        enum { LABELS = 51, SAME = 32 };
        static void *queues[LABELS][SAME];
        static void nothing(void *given) {}
        static void ask(void *given) {
          for (int later = *(int *)given + 1; later < LABELS; later++)
            for (int number = 0; number < SAME; number++) dispatch_sync_f(queues[later][number], NULL, nothing);
        }
        int main(void) {
          char label[] = "aa";
          for (int kind = 0; kind < LABELS; kind++) {
            label[0] = 'a' + kind / 26;
            label[1] = 'a' + kind % 26;
            for (int number = 0; number < SAME; number++) queues[kind][number] = dispatch_queue_create(label, NULL);
          }
          for (int kind = 0; kind < LABELS; kind++)
            for (int number = 0; number < SAME; number++) dispatch_sync_f(queues[kind][number], &kind, ask);
        }
        """, limit: "-f 2500")
    let said = "gate queuecheck: the record was incomplete: waits that were not compared with earlier ones: "
    #expect(lines.contains { $0.hasPrefix(said) }, "\(lines)")
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
