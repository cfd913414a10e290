import Testing

/// A place in memory that gets another lock without any call.
struct ReplacedLocksTests {
  /// Two places, whose locks are always taken in the order of their making, first from the left and then from the
  /// right.
  ///
  /// - Parameters:
  ///   - lock: the type of the locks.
  ///   - place: where they are: `global`, `local`, or `*new Shelf`.
  ///   - more: what is done with the same locks afterwards.
  private static func turns(of lock: String, in place: String, then more: String = "") -> String {
    """
    #include <cstdio>
    #include <mutex>
    #include <optional>
    #include <shared_mutex>
    struct Shelf { std::optional<\(lock)> places[2]; };
    static Shelf global;
    static void take(Shelf &shelf, int first) {
      std::lock_guard one(*shelf.places[first]);
      std::lock_guard other(*shelf.places[1 - first]);
    }
    static void turn(Shelf &shelf, int first) {
      for (auto &place : shelf.places) place.emplace();
      take(shelf, first);
      \(more)
    }
    int main() {
      Shelf local;
      Shelf &shelf = \(place);
      turn(shelf, 0);
      turn(shelf, 1);
      puts("lived");
    }
    """
  }

  @Test(arguments: ["std::mutex", "std::recursive_mutex", "std::shared_mutex"], ["global", "local", "*new Shelf"])
  func `a lock in a place that had another one has no story`(lock: String, place: String) async throws {
    let outcome = try await SmallProgram.run(cxx: Self.turns(of: lock, in: place))
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(arguments: ["std::mutex", "std::shared_mutex"], ["global", "local", "*new Shelf"])
  func `both orders of the same locks are still found`(lock: String, place: String) async throws {
    let outcome = try await SmallProgram.run(cxx: Self.turns(of: lock, in: place, then: "take(shelf, 1 - first);"))
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
  }

  /// The first two locks are initialized by a call, and later ones by an assignment or a call.
  private static func reused(by renewal: String, order: String) -> String {
    """
    #include <pthread.h>
    #include <stdio.h>
    static struct object { pthread_mutex_t lock; } objects[2];
    static void both(pthread_mutex_t *outer, pthread_mutex_t *inner) {
      pthread_mutex_lock(outer);
      pthread_mutex_lock(inner);
      pthread_mutex_unlock(inner);
      pthread_mutex_unlock(outer);
    }
    int main(void) {
      pthread_mutex_t *one = &objects[0].lock, *other = &objects[1].lock;
      pthread_mutex_init(one, NULL);
      pthread_mutex_init(other, NULL);
      both(one, other);
      \(renewal.replacing("LOCK", with: "*one"))
      \(renewal.replacing("LOCK", with: "*other"))
      \(order)
      puts("lived");
    }
    """
  }

  private static let renewals = [
    "LOCK = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_init(&LOCK, NULL);",
  ]

  @Test(arguments: renewals)
  func `a lock that a call had initialized ends when it is initialized again`(renewal: String) async throws {
    let outcome = try await SmallProgram.run(c: Self.reused(by: renewal, order: "both(other, one);"))
    #expect(outcome.status == 0 && outcome.output == "lived\n" && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test(arguments: renewals)
  func `both orders of locks that were initialized again are found`(renewal: String) async throws {
    let outcome = try await SmallProgram.run(c: Self.reused(by: renewal, order: "both(other, one); both(one, other);"))
    #expect(outcome.status == 3 && outcome.output == "lived\n", "\(outcome)")
  }

  /// A spin lock is smaller than a mark.
  @Test func `nothing is written beside a lock`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        struct { pthread_spinlock_t lock; unsigned char after[100]; } spin;
        struct { pthread_mutex_t lock; unsigned char after[100]; } *mutex;
        static int is_zero(const unsigned char *bytes) {
          for (int index = 0; index < 100; index++) if (bytes[index] != 0) return 0;
          return 1;
        }
        int main(void) {
          // A copy, which no call initializes. Zero does not mean that it is free.
          pthread_spinlock_t made;
          pthread_spin_init(&made, PTHREAD_PROCESS_PRIVATE);
          spin.lock = made;
          mutex = calloc(1, sizeof *mutex);
          for (int turn = 0; turn < 2; turn++) {
            pthread_spin_lock(&spin.lock);
            pthread_mutex_lock(&mutex->lock);
            pthread_mutex_unlock(&mutex->lock);
            pthread_spin_unlock(&spin.lock);
          }
          puts(is_zero(spin.after) && is_zero(mutex->after) ? "lived" : "written");
        }
        """)
    #expect(outcome.status == 0 && outcome.output == "lived\n", "\(outcome)")
  }

  /// Its memory has no room for a mark. So nothing shows whether a free list gave it to another object in between.
  @Test func `a cycle of spin locks that no call initialized is a note`() async throws {
    let outcome = try await SmallProgram.run(
      c: """
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        static void both(pthread_spinlock_t *outer, pthread_spinlock_t *inner) {
          pthread_spin_lock(outer);
          pthread_spin_lock(inner);
          pthread_spin_unlock(inner);
          pthread_spin_unlock(outer);
        }
        int main(void) {
          pthread_spinlock_t *one = calloc(1, 64), *other = calloc(1, 64);
          *one = *other = 1;
          both(one, other);
          both(other, one);
          puts("lived");
        }
        """)
    #expect(outcome.status == 0 && outcome.output == "lived\n", "\(outcome)")
    #expect(outcome.errors.contains("note: potential deadlock: lock "), "\(outcome)")
    #expect(outcome.errors.contains("nothing shows whether its address was another lock in between"), "\(outcome)")
  }
}
