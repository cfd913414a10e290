import Foundation
import Testing

/// How reports name locks and source files.
struct ReportNamesTests {
  /// Two cycles, of two locks that `main` makes on lines of their own, and of two on one line.
  private static let fourLocks = """
    #include <pthread.h>
    static void inTurn(pthread_mutex_t *one, pthread_mutex_t *other) {
      pthread_mutex_lock(one);
      pthread_mutex_lock(other);
      pthread_mutex_unlock(other);
      pthread_mutex_unlock(one);
    }
    int main(void) {
      pthread_mutex_t a, b, c, d;
      pthread_mutex_init(&a, 0);
      pthread_mutex_init(&b, 0);
      pthread_mutex_init(&c, 0), pthread_mutex_init(&d, 0);
      inTurn(&a, &b);
      inTurn(&b, &a);
      inTurn(&c, &d);
      inTurn(&d, &c);
    }
    """

  @Test func `locks that one function makes have names of their own, also on one line`() async throws {
    let outcome = try await SmallProgram.run(c: Self.fourLocks)
    #expect(outcome.status == 3, "\(outcome)")
    func has(_ title: String, _ name: String) -> Bool {
      outcome.errors.contains("\npotential deadlock: \(title)\n") && outcome.errors.contains("{\"name\":\"\(name)\",")
    }
    #expect(
      has(
        "lock program.c:10 → lock program.c:11 → lock program.c:10",
        "lock in main at program.c → lock in main at program.c (2) → lock in main at program.c"), "\(outcome)")
    #expect(
      has(
        "lock program.c:12 → lock program.c:12 (2) → lock program.c:12",
        "lock in main at program.c (3) → lock in main at program.c (4) → lock in main at program.c (3)"), "\(outcome)")
  }

  /// Its locks are made, as far as can be seen, in a function of the standard library.
  @Test func `a lock of C++ is named by the program's function, not by a header of the library`() async throws {
    let source = """
      #include <memory>
      #include <mutex>
      struct Box { std::mutex mutex; };
      static void inTurn(Box &one, Box &other) {
        std::lock_guard first(one.mutex);
        std::lock_guard second(other.mutex);
      }
      int main() {
        auto one = std::make_unique<Box>(), other = std::make_unique<Box>();
        inTurn(*one, *other);
        inTurn(*other, *one);
      }
      """
    for compiler in ["clang++", "g++"] {
      let build = [compiler, "-std=c++17", "-g", "-pthread", "-o", "program", "program.cpp"]
      let outcome = try await SmallProgram.run(source, [build])
      #expect(outcome.status == 3 && outcome.errors.contains("potential deadlock: lock program.cpp:5 →"), "\(outcome)")
      #expect(!outcome.errors.contains("mutex.h") && !outcome.errors.contains("gthr"), "\(outcome)")
    }
  }

  /// A compiler writes names as it was given them, relative to the folder in which it runs.
  @Test(arguments: [["clang", "-gdwarf-5"], ["clang", "-gdwarf-4"], ["gcc", "-gdwarf-5"], ["gcc", "-gdwarf-4"]])
  func `relative names of files begin where the compiler ran`(compiler: [String]) async throws {
    let (outcome, log) = try await relative(in: ["made"], compiler)
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.errors.contains(#/ at /.*/made/part/one.h:3\n/#), "\(outcome)")
    #expect(!outcome.errors.contains(" at part/") && !outcome.errors.contains(" at ./"), "\(outcome)")
    #expect(log.contains(#/"uri":"file:///[^"]*/made/part/one.h"/#), "\(log)")
  }

  @Test func `a relative name that two folders have is no place in a log`() async throws {
    let (outcome, log) = try await relative(in: ["made", "also"], ["gcc", "-gdwarf-5"])
    #expect(outcome.status == 3 && outcome.errors.contains(" at part/one.h:3\n"), "\(outcome)")
    #expect(!log.contains("one.h\""), "\(log)")
  }

  /// A program of a header and a source, compiled once in each of the folders. The first one has `main`.
  private func relative(
    in folders: [String], _ compiler: [String]
  ) async throws -> (outcome: ChildProcess.Outcome, log: String) {
    let header = """
      #include <pthread.h>
      static void inTurn(pthread_mutex_t *one, pthread_mutex_t *other) {
        pthread_mutex_lock(one); pthread_mutex_lock(other);
        pthread_mutex_unlock(other); pthread_mutex_unlock(one);
      }
      """
    let source = """
      #include "part/one.h"
      static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
      int PLAY(void) { inTurn(&a, &b); inTurn(&b, &a); return 0; }
      """
    let make = folders.enumerated().map { index, folder in
      """
      mkdir -p \(folder)/part
      cat > \(folder)/part/one.h <<'END'
      \(header)
      END
      cat > \(folder)/all.c <<'END'
      \(source)
      END
      cd \(folder)
      \(compiler.joined(separator: " ")) -DPLAY=\(index == 0 ? "main" : "play") -c -o ../\(folder).o all.c
      cd ..
      """
    }
    let objects = folders.map { "\($0).o" }.joined(separator: " ")
    let build = (make + ["\(compiler[0]) -pthread -o program \(objects)"]).joined(separator: "\n")
    return try await TemporaryFolder.with { folder in
      let log = "\(folder)/log"
      let outcome = try await SmallProgram.run("", [["sh", "-ec", build]], ["--sarif", log])
      return (outcome, try String(contentsOf: URL(filePath: log), encoding: .utf8))
    }
  }
}
