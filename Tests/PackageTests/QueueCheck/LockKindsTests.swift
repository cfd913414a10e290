import Foundation
import Testing

/// The kinds of waits beside dispatch and initialized locks: each in a program that can deadlock, and in one that
/// cannot.
struct LockKindsTests {
  /// Functions that a case calls in `main`, for C.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// The code in front of `main`.
    var functions = ""
    let main: String

    var testDescription: String { name }

    var source: String {
      """
      #define _GNU_SOURCE
      #include <pthread.h>
      #include <sched.h>
      #include <semaphore.h>
      #include <stdatomic.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <threads.h>
      static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
      static atomic_bool is_done;
      static void take(pthread_mutex_t *mutex) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
      }
      static void *take_one(void *given) {
        take(&one);
        is_done = 1;
        return given;
      }
      static void *run(void *work) {
        ((void (*)(void))work)();
        return NULL;
      }
      static void in_turn(void (*first)(void), void (*second)(void)) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, first);
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, run, second);
        pthread_join(thread, NULL);
      }
      \(functions)
      int main(void) {
        pthread_t thread;
        \(main)
        puts("lived");
      }
      """
    }

    /// Two locks that are taken in both orders, by two threads in turn.
    static func pair(_ name: String, type: String, set up: String, lock: String, unlock: String) -> Self {
      Self(
        name: name,
        functions: """
          static \(type) a, b;
          static void forward(void) { \(lock)(&a); \(lock)(&b); \(unlock)(&b); \(unlock)(&a); }
          static void backward(void) { \(lock)(&b); \(lock)(&a); \(unlock)(&a); \(unlock)(&b); }
          """, main: "\(up) in_turn(forward, backward);")
    }

    /// Two structures in memory from malloc, whose locks no call initialized.
    static let boxes = """
      typedef struct box { long value; pthread_mutex_t mutex; } box;
      static box *a, *b;
      static void both(box *first, box *second) {
        pthread_mutex_lock(&first->mutex);
        pthread_mutex_lock(&second->mutex);
        pthread_mutex_unlock(&second->mutex);
        pthread_mutex_unlock(&first->mutex);
      }
      static void forward(void) { both(a, b); }
      static void backward(void) { both(b, a); }
      """
    static let tokens = """
      static pthread_once_t token = PTHREAD_ONCE_INIT;
      static once_flag flag = ONCE_FLAG_INIT;
      static void initialize(void) { take(&one); }
      """
  }

  static let cycles = [
    Case(
      name: "a join under a lock that the thread took",
      main: """
        pthread_create(&thread, NULL, take_one, NULL);
        while (!is_done) sched_yield();
        pthread_mutex_lock(&one);
        pthread_join(thread, NULL);
        pthread_mutex_unlock(&one);
        """),
    Case(
      name: "a C11 join under a lock that the thread took",
      functions: "static int start(void *given) { take_one(given); return 0; }",
      main: """
        thrd_create(&thread, start, NULL);
        while (!is_done) sched_yield();
        pthread_mutex_lock(&one);
        thrd_join(thread, NULL);
        pthread_mutex_unlock(&one);
        """),
    .pair(
      "sem_t as locks", type: "sem_t", set: "sem_init(&a, 0, 1); sem_init(&b, 0, 1);", lock: "sem_wait",
      unlock: "sem_post"),
    .pair(
      "mtx_t", type: "mtx_t", set: "mtx_init(&a, mtx_plain); mtx_init(&b, mtx_plain);", lock: "mtx_lock",
      unlock: "mtx_unlock"),
    .pair(
      "spin locks", type: "pthread_spinlock_t", set: "pthread_spin_init(&a, 0); pthread_spin_init(&b, 0);",
      lock: "pthread_spin_lock", unlock: "pthread_spin_unlock"),
    Case(
      name: "a sem_t that is waited for under a lock of its giver",
      functions: """
        static sem_t given;
        static void give(void) {
          pthread_mutex_lock(&other);
          take(&one);
          sem_post(&given);
          pthread_mutex_unlock(&other);
        }
        static void wait_for_it(void) {
          pthread_mutex_lock(&one);
          sem_wait(&given);
          pthread_mutex_unlock(&one);
        }
        """, main: "sem_init(&given, 0, 0); in_turn(give, wait_for_it);"),
    Case(
      name: "pthread_once under a lock that the initializer took",
      functions: Case.tokens + """

        static void first(void) { pthread_once(&token, initialize); }
        static void second(void) {
          pthread_mutex_lock(&one);
          pthread_once(&token, initialize);
          pthread_mutex_unlock(&one);
        }
        """, main: "in_turn(first, second);"),
    Case(
      name: "call_once under a lock that the initializer took",
      functions: Case.tokens + """

        static void first(void) { call_once(&flag, initialize); }
        static void second(void) {
          pthread_mutex_lock(&one);
          call_once(&flag, initialize);
          pthread_mutex_unlock(&one);
        }
        """, main: "in_turn(first, second);"),
    Case(
      name: "locks in memory from malloc", functions: Case.boxes,
      main: """
        a = calloc(1, sizeof *a), b = calloc(1, sizeof *b);
        take(&a->mutex), take(&b->mutex);
        in_turn(forward, backward);
        """),
  ]

  static let lookAlikes = [
    Case(
      name: "a join under another lock",
      main: """
        pthread_create(&thread, NULL, take_one, NULL);
        pthread_mutex_lock(&other);
        pthread_join(thread, NULL);
        pthread_mutex_unlock(&other);
        take(&one);
        """),
    Case(
      name: "a thread that is detached under a lock that it takes",
      main: """
        pthread_mutex_lock(&one);
        pthread_create(&thread, NULL, take_one, NULL);
        pthread_detach(thread);
        pthread_mutex_unlock(&one);
        while (!is_done) sched_yield();
        """),
    Case(
      name: "a sem_t that other processes may give",
      functions: """
        static sem_t given;
        static void give(void) {
          pthread_mutex_lock(&other);
          take(&one);
          sem_post(&given);
          pthread_mutex_unlock(&other);
        }
        static void wait_for_it(void) {
          pthread_mutex_lock(&one);
          sem_wait(&given);
          pthread_mutex_unlock(&one);
        }
        """, main: "sem_init(&given, 1, 0); in_turn(give, wait_for_it);"),
    Case(
      name: "pthread_once under another lock", functions: Case.tokens,
      main: """
        pthread_mutex_lock(&other);
        pthread_once(&token, initialize);
        pthread_once(&token, initialize);
        pthread_mutex_unlock(&other);
        take(&one);
        """),
    Case(
      name: "locks in memory that is used again, always in one order of their making", functions: Case.boxes,
      main: """
        for (int turn = 0; turn < 100; turn++) {
          a = calloc(1, sizeof *a), b = calloc(1, sizeof *b);
          if (turn % 2) in_turn(forward, forward);
          else in_turn(backward, backward);
          free(a), free(b);
        }
        """),
    Case(
      name: "locks in memory from malloc, of which one says nothing about another",
      functions: """
        typedef struct box { long value; pthread_mutex_t mutex; } box;
        static box *boxes[4];
        static void lock(box *taken) { pthread_mutex_lock(&taken->mutex); }
        static void lock_elsewhere(box *taken) { pthread_mutex_lock(&taken->mutex); }
        static void both(box *first, box *second) {
          lock(first);
          lock(second);
          pthread_mutex_unlock(&second->mutex);
          pthread_mutex_unlock(&first->mutex);
        }
        static void forward(void) { both(boxes[0], boxes[1]); }
        static void backward(void) { both(boxes[3], boxes[2]); }
        """,
      main: """
        // The first calls that lock them are of two kinds.
        for (int index = 0; index < 4; index++) {
          boxes[index] = calloc(1, sizeof(box));
          if (index % 2) lock_elsewhere(boxes[index]);
          else lock(boxes[index]);
          pthread_mutex_unlock(&boxes[index]->mutex);
        }
        in_turn(forward, backward);
        """),
    Case(
      name: "locks on the stack, at one address in both orders",
      functions: """
        static void both(int first) {
          pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
          pthread_mutex_lock(&mutexes[first]);
          pthread_mutex_lock(&mutexes[!first]);
          pthread_mutex_unlock(&mutexes[!first]);
          pthread_mutex_unlock(&mutexes[first]);
        }
        """, main: "both(0); both(1);"),
    Case(
      name: "a read-write lock that says no to the thread that holds it for writing",
      functions: "static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;",
      main: """
        pthread_rwlock_wrlock(&shelf);
        if (pthread_rwlock_wrlock(&shelf) == 0 || pthread_rwlock_rdlock(&shelf) == 0) return 1;
        pthread_rwlock_unlock(&shelf);
        """),
  ]

  @Test(arguments: cycles) func `it is found before it closes`(given: Case) async throws {
    try await expectCycle(SmallProgram.run(c: given.source))
  }

  @Test(arguments: lookAlikes) func `it cannot hang and is not reported`(given: Case) async throws {
    try await expectSilence(SmallProgram.run(c: given.source))
  }

  private func expectCycle(_ outcome: ChildProcess.Outcome) {
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("potential deadlock"), "\(outcome)")
  }

  private func expectSilence(_ outcome: ChildProcess.Outcome) {
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  // MARK: - C++

  @Test(arguments: [
    """
    Box a, b;
    auto one = std::make_unique<Box>(), other = std::make_unique<Box>();
    { std::lock_guard held(one->mutex); }
    { std::lock_guard held(other->mutex); }
    on_thread([&] { std::lock_guard first(one->mutex); std::lock_guard second(other->mutex); });
    on_thread([&] { std::lock_guard first(other->mutex); std::lock_guard second(one->mutex); });
    """,
    """
    auto readers = std::make_unique<std::shared_mutex>();
    { std::shared_lock held(*readers); }
    on_thread([&] { std::shared_lock first(*readers); std::lock_guard second(global); });
    on_thread([&] { std::lock_guard first(global); std::unique_lock second(*readers); });
    """,
    """
    auto timed = std::make_unique<std::timed_mutex>();
    (void)timed->try_lock_for(std::chrono::minutes(1));
    { std::lock_guard second(global); }
    timed->unlock();
    on_thread([&] { std::lock_guard first(global); std::lock_guard second(*timed); });
    """,
    """
    static std::once_flag flag;
    auto initialize = [] { std::lock_guard held(global); };
    std::call_once(flag, initialize);
    std::lock_guard held(global);
    std::call_once(flag, initialize);
    """,
    """
    std::atomic<bool> is_done = false;
    std::thread thread([&] { { std::lock_guard held(global); } is_done = true; });
    while (!is_done) std::this_thread::yield();
    std::lock_guard held(global);
    thread.join();
    """,
    // Locks of one call, which only this call and its threads know.
    """
    Pair pair;
    on_thread([&] { pair.forward(); });
    on_thread([&] { pair.backward(); });
    """,
    """
    Pair pair;
    pair.forward();
    on_thread([&] { pair.backward(); });
    """,
  ])
  func `a cycle through the locks of C++ is found`(main: String) async throws {
    try await expectCycle(SmallProgram.run(cxx: Self.cxx(main)))
  }

  @Test(arguments: [
    """
    for (int turn = 0; turn < 100; turn++) {
      auto one = std::make_unique<Box>(), other = std::make_unique<Box>();
      std::lock_guard first(one->mutex);
      std::lock_guard second(other->mutex);
    }
    """,
    """
    auto recursive = std::make_unique<std::recursive_mutex>();
    std::lock_guard first(*recursive);
    std::lock_guard second(*recursive);
    """,
    // The initializer that threw holds its token no longer.
    """
    static std::once_flag flag;
    try { std::call_once(flag, [] { throw std::runtime_error("once more"); }); } catch (...) {}
    { std::lock_guard held(global); }
    std::lock_guard held(global);
    std::call_once(flag, [] {});
    """,
    // Different locks at the same address, in both orders: the second thread has the memory of the first thread, and
    // the second call has the memory of the first call.
    """
    on_thread(forward);
    on_thread(backward);
    """,
    """
    for (auto work : {forward, backward}) work();
    """,
    // Locks of two calls of one thread, which are locked by other threads.
    """
    for (auto work : {forward_elsewhere, backward_elsewhere}) work();
    """,
  ])
  func `what cannot hang in C++ is not reported`(main: String) async throws {
    try await expectSilence(SmallProgram.run(cxx: Self.cxx(main)))
  }

  private static func cxx(_ main: String) -> String {
    """
    #include <atomic>
    #include <chrono>
    #include <cstdio>
    #include <memory>
    #include <mutex>
    #include <shared_mutex>
    #include <stdexcept>
    #include <thread>
    struct Box { std::mutex mutex; };
    static std::mutex global;
    template <class Work> void on_thread(Work work) { std::thread(work).join(); }
    struct Pair {
      std::mutex one, other;
      void forward() { std::lock_guard first(one); std::lock_guard second(other); }
      void backward() { std::lock_guard first(other); std::lock_guard second(one); }
    };
    static void forward() { Pair pair; pair.forward(); }
    static void backward() { Pair pair; pair.backward(); }
    static void forward_elsewhere() { Pair pair; on_thread([&] { pair.forward(); }); }
    static void backward_elsewhere() { Pair pair; on_thread([&] { pair.backward(); }); }
    static void play() {
      \(main)
    }
    int main() {
      play();
      puts("lived");
    }
    """
  }

  // MARK: - Swift

  @Test func `a lazy global whose initializer takes a lock is not to be used under it`() async throws {
    try await expectCycle(SmallProgram.run(swift: Self.swift("lazy", "inTurn { lock.withLock { _ = State.number } }")))
  }

  @Test func `a lazy global may be used under another lock`() async throws {
    try await expectSilence(
      SmallProgram.run(swift: Self.swift("lazy", "inTurn { other.withLock { _ = State.number } }")))
  }

  @Test func `all operations are awaited under a lock that one of them took`() async throws {
    try await expectCycle(SmallProgram.run(swift: Self.swift("operations", "lock.withLock { waitForAll() }")))
  }

  @Test func `all operations are awaited under another lock`() async throws {
    try await expectSilence(
      SmallProgram.run(swift: Self.swift("operations", "other.withLock { waitForAll() }")))
  }

  private static func swift(_ first: String, _ second: String) -> String {
    let operations = """
      let operation = BlockOperation { lock.withLock {} }
      queue.addOperation(operation)
      operation.waitUntilFinished()
      """
    return """
      import Foundation
      let lock = NSLock(), other = NSLock(), queue = OperationQueue()
      queue.name = "operations"
      enum State { static let number: Int = { lock.withLock { 1 } }() }
      func inTurn(_ body: @Sendable @escaping () -> Void) {
        let thread = Thread(block: body)
        thread.start()
        while !thread.isFinished { sched_yield() }
      }
      // The main thread waits before the operation ends: without operations there is no wait.
      func waitForAll() {
        queue.addOperation {
          var status = ""
          while status.split(separator: ")").last?.hasPrefix(" S") != true {
            sched_yield()
            status = (try? String(contentsOfFile: "/proc/self/task/\\(getpid())/stat", encoding: .utf8)) ?? ""
          }
        }
        queue.waitUntilAllOperationsAreFinished()
      }
      inTurn {
        \(first == "lazy" ? "_ = State.number" : operations)
      }
      \(second)
      print("lived")
      """
  }

  // MARK: - Images

  @Test func `a lock of a library that was opened later is followed`() async throws {
    let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <libgen.h>
      #include <limits.h>
      #include <pthread.h>
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>
      #ifdef PLUG_IN
      pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
      char gap[1 << 16];
      pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
      #else
      static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
        pthread_mutex_lock(first);
        pthread_mutex_lock(second);
        pthread_mutex_unlock(second);
        pthread_mutex_unlock(first);
      }
      int main(void) {
        char path[PATH_MAX + 16] = "";
        (void)!readlink("/proc/self/exe", path, PATH_MAX);
        void *library = dlopen(strcat(dirname(path), "/plugin.so"), RTLD_NOW);
        pthread_mutex_t *one = dlsym(library, "one"), *other = dlsym(library, "other");
        both(one, other);
        both(other, one);
        puts("lived");
      }
      #endif
      """
    try await expectCycle(
      SmallProgram.run(
        source,
        [
          ["clang", "-g", "-shared", "-fPIC", "-DPLUG_IN", "-o", "plugin.so", "program.c"],
          ["clang", "-g", "-o", "program", "program.c", "-ldl"],
        ]))
  }
}
