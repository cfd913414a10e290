import HangGuard
import Testing

/// A program that is watched lives as it lives alone.
struct UndisturbedTests {
  /// What a thread's values are cleaned up with may lock: libcrypto's does in every thread that used it. To ask
  /// dispatch for the queue then gave the thread a new life in dispatch, at whose end it freed for the second time what
  /// it had cached.
  @Test func `a lock that a thread takes while it ends leaves dispatch alone`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <stdio.h>
        void dispatch_apply_f(size_t count, void *queue, void *context, void (*work)(void *, size_t));
        static pthread_mutex_t mutex;
        static pthread_key_t key;
        static void nothing(void *context, size_t turn) {}
        static void clean_up(void *value) {
          pthread_mutex_lock(&mutex);
          pthread_mutex_unlock(&mutex);
        }
        static void *body(void *given) {
          dispatch_apply_f(4, NULL, NULL, nothing);  // leaves something in dispatch's cache for this thread
          pthread_setspecific(key, &key);
          return NULL;
        }
        int main(void) {
          pthread_mutex_init(&mutex, NULL);
          dispatch_apply_f(4, NULL, NULL, nothing);
          pthread_key_create(&key, clean_up);  // dispatch has its own by now: that one is cleaned up first
          for (int turn = 0; turn < 4; turn++) {
            pthread_t thread;
            pthread_create(&thread, NULL, body, NULL);
            pthread_join(thread, NULL);
          }
          puts("lived");
        }
        """)
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `a block that is never to run is let go at once`() async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Dispatch
        final class Token: Sendable { deinit { print("let go") } }
        func never(_ token: Token) { DispatchQueue.global().asyncAfter(deadline: .distantFuture) { _ = token } }
        never(Token())
        """)
    #expect(outcome.status == 0 && outcome.output == "let go\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  /// The child's first thread has the memory of the thread that forked; the record is the parent's.
  @Test func `what a forked child does is not taken for its parent's doing`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <sys/prctl.h>
        #include <time.h>
        #include <unistd.h>
        void *dispatch_get_global_queue(long kind, unsigned long flags);
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
        int main(void) {
          dispatch_get_global_queue(0, 0);
          pthread_mutex_lock(&mutex);
          alarm(\(Watchdog.seconds));
          if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            pthread_mutex_lock(&other);
            for (;;) {
              struct timespec until;
              clock_gettime(CLOCK_REALTIME, &until);
              until.tv_nsec += 1000000;
              pthread_cond_timedwait(&condition, &other, &until);
            }
          }
          pthread_mutex_lock(&mutex);
        }
        """, ["--stall", "1"])
    #expect(outcome.status == 3 && outcome.errors.contains("\nwait for itself: lock"), "\(outcome)")
  }

  /// The preloaded library comes before dispatch, which it did not find when the program began.
  @Test func `a library that is opened later brings dispatch`() async throws {
    let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <libgen.h>
      #include <limits.h>
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>
      #ifdef PLUG_IN
      void *dispatch_queue_create(const char *label, void *attributes);
      void dispatch_sync_f(void *queue, void *context, void (*work)(void *));
      static void say(void *text) { puts(text); }
      void play(void) { dispatch_sync_f(dispatch_queue_create("late", NULL), "lived", say); }
      #else
      int main(void) {
        char path[PATH_MAX + 16] = "";
        (void)!readlink("/proc/self/exe", path, PATH_MAX);
        void *library = dlopen(strcat(dirname(path), "/plugin.so"), RTLD_NOW);
        ((void (*)(void))dlsym(library, "play"))();
      }
      #endif
      """
    let outcome = try await SmallProgram.run(
      source,
      [
        ["clang", "-g", "-fPIC", "-DPLUG_IN", "-c", "-o", "plugin.o", "program.c"],
        ["swiftc", "-emit-library", "-o", "plugin.so", "plugin.o", "-ldispatch"],
        ["clang", "-g", "-o", "program", "program.c", "-ldl"],
      ])
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `when gate is killed its program ends as well`() async throws {
    let script = """
      "$0" queuecheck -- sleep 1000 & gate=$!
      # Another child may be there for a moment.
      find() { for one in $(cat /proc/$gate/task/*/children); do grep -qx sleep /proc/$one/comm && child=$one; done; }
      for i in $(seq \(Watchdog.seconds * 10)); do find; [ -n "$child" ] && break; sleep 0.1; done
      # The program asks for it when it begins: once it sleeps, it has.
      sleeps() { grep -q nanosleep /proc/$child/syscall /proc/$child/wchan; }
      for i in $(seq \(Watchdog.seconds * 10)); do sleeps && break; sleep 0.1; done
      kill -9 $gate
      lives() { [ -d /proc/$child ] && ! grep -q "^State:.Z" /proc/$child/status; }
      for i in $(seq \(Watchdog.seconds * 10)); do lives || exit 0; sleep 0.1; done
      exit 1
      """
    var child = ChildProcess("timeout", ["\(Watchdog.seconds)", "bash", "-c", script, "\(Repository.products)/gate"])
    child.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let outcome = try await child.run()
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// In blocks of 1 KiB.
  @Test(arguments: [64, 4096]) func `a program goes on where files are limited`(limit: Int) async throws {
    let command = "ulimit -f \(limit); exec \"$0\" queuecheck -- sh -c 'echo played; exit 5'"
    var child = ChildProcess("timeout", ["\(Watchdog.seconds)", "bash", "-c", command, "\(Repository.products)/gate"])
    child.environment = ["SWIFT_BACKTRACE": "enable=no"]
    let outcome = try await child.run()
    #expect(outcome.output == "played\n" && outcome.status == 5, "\(outcome)")
  }
}
