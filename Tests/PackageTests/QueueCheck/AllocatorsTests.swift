import Foundation
import Testing

/// A program runs as without us, whichever allocator it has.
struct AllocatorsTests {
  /// An allocator that locks, and that looks its functions up on its first call. The look-up of a name that is missing
  /// allocates.
  private static let allocator = """
    static void *(*next_malloc)(size_t);
    static void (*next_free)(void *);
    static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    static char early[1 << 17];
    static size_t used;
    static void *take_early(size_t size) {
      void *taken = early + used;
      used += (size + 15) & ~(size_t)15;
      return taken;
    }
    void *malloc(size_t size) {
      static int is_inside;
      pthread_mutex_lock(&mutex);
      if (next_malloc == NULL && !is_inside) {
        is_inside = 1;
        dlsym(RTLD_NEXT, "a name that is missing");
        next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
        next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
      }
      void *taken = next_malloc == NULL ? take_early(size) : next_malloc(size);
      pthread_mutex_unlock(&mutex);
      return taken;
    }
    void *calloc(size_t count, size_t size) {
      void *taken = malloc(count * size);
      return taken == NULL ? NULL : memset(taken, 0, count * size);
    }
    void free(void *block) {
      if (block == NULL || ((char *)block >= early && (char *)block < early + sizeof early)) return;
      pthread_mutex_lock(&mutex);
      next_free(block);
      pthread_mutex_unlock(&mutex);
    }
    """

  private static let program = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #ifdef ALLOCATES
    \(allocator)
    #endif
    static void *body(void *given) {
      for (size_t size = 1; size < 5000; size += 7) free(malloc(size));
      return given;
    }
    int main(void) {
      pthread_t threads[32];
      for (int turn = 0; turn < 4; turn++) {
        for (int index = 0; index < 32; index++) pthread_create(&threads[index], NULL, body, NULL);
        for (int index = 0; index < 32; index++) pthread_join(threads[index], NULL);
      }
      puts("lived");
    }
    """

  private func expectLife(_ outcome: ChildProcess.Outcome) {
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test func `a program whose own allocator locks and looks functions up`() async throws {
    try await expectLife(
      SmallProgram.run(Self.program, [["clang", "-g", "-DALLOCATES", "-o", "program", "program.c", "-ldl"]]))
  }

  /// Linked, as redis and rustc are: the calls of its constructor come before ours.
  @Test(arguments: installed) func `a program with another allocator`(library: String) async throws {
    try await expectLife(
      SmallProgram.run(
        Self.program, [["clang", "-g", "-o", "program", "program.c", "-Wl,--no-as-needed", library]]))
  }

  /// The allocators that this machine has.
  private static var installed: [String] {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
    let names = ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"]
    return folders.flatMap { folder in names.map { "/usr/lib/\(folder)/\($0)" } }
      .filter(FileManager.default.fileExists(atPath:))
  }
}
