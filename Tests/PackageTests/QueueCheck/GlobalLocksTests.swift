import Foundation
import Testing

/// Locks that no call initializes have the names of their variables, from the program's own tables.
struct GlobalLocksTests {
  @Test func `a lock in an array, in a structure and in a namespace is named`() async throws {
    let source = """
      #include <pthread.h>
      static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
      namespace cache { namespace { pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; } }
      static void hold(pthread_mutex_t *outer, pthread_mutex_t *inner) {
        pthread_mutex_lock(outer);
        pthread_mutex_lock(inner);
        pthread_mutex_unlock(inner);
        pthread_mutex_unlock(outer);
      }
      int main() {
        hold(&locks[0], &locks[1]);
        hold(&locks[1], &cache::guard);
        hold(&cache::guard, &locks[0]);
      }
      """
    try await TemporaryFolder.with { folder in
      try Data(source.utf8).write(to: URL(filePath: "\(folder)/program.cc"))
      let built = try await ChildProcess("clang", ["-g", "-o", "\(folder)/program", "\(folder)/program.cc"]).run()
      try #require(built.succeeded, "\(built)")
      let outcome = try await QueueCheckScene.run(["\(folder)/program"])
      let ring = /deadlock: lock cache::\(anonymous\)::guard → lock locks → lock locks \+ \d+ → lock cache/
      #expect(outcome.errors.contains(ring), "\(outcome)")
    }
  }

  @Test func `a lock in a variable of Swift has the variable's name`() async throws {
    let outcome = try await SmallProgram.run(
      swift: """
        import Glibc
        nonisolated(unsafe) var first = pthread_mutex_t()
        enum Cache { nonisolated(unsafe) static var guarded = pthread_mutex_t() }
        typealias Mutex = UnsafeMutablePointer<pthread_mutex_t>
        func hold(_ outer: Mutex, _ inner: Mutex) {
          pthread_mutex_lock(outer)
          pthread_mutex_lock(inner)
          pthread_mutex_unlock(inner)
          pthread_mutex_unlock(outer)
        }
        hold(&first, &Cache.guarded)
        hold(&Cache.guarded, &first)
        """)
    #expect(outcome.errors.contains("lock Cache.guarded → lock first → lock Cache.guarded"), "\(outcome)")
  }

  /// What the tables say of themselves may be wrong in every number.
  @Test func `a program whose tables are damaged runs as it is`() async throws {
    let whole = try Data(contentsOf: URL(filePath: "/bin/true").resolvingSymlinksInPath())
    try await TemporaryFolder.with { folder in
      // The offset, the size of a row, and the number of rows of the table of sections; the start of that table.
      for (offset, count) in [(40, 8), (58, 2), (60, 2), (62, 2)] + [(-1, 64)] {
        var bytes = [UInt8](whole)
        let table = bytes[40..<48].reversed().reduce(0) { $0 << 8 | Int($1) }
        let start = offset < 0 ? table : offset
        for index in start..<start + count where bytes.indices.contains(index) { bytes[index] = 0xFF }
        let data = "\(folder)/data", program = "\(folder)/program"
        try Data(bytes).write(to: URL(filePath: data))
        // Another process writes the program: a child of a test beside this one could still have it open for writing.
        #expect(try await ChildProcess("install", ["-m", "755", data, program]).run().succeeded)
        let outcome = try await QueueCheckScene.run([program])
        #expect(outcome.status == 0, "\(offset): \(outcome)")
      }
    }
  }
}
