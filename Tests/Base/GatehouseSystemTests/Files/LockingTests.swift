import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct LockingTests {
  @Test func `one open file has the lock, or any number share it`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      let one = try folder.open("lock", .readingOrMaking)
      let two = try folder.open("lock")
      #expect(try one.tryLock() && !two.tryLock() && !two.tryLock(.shared))
      one.unlock()
      #expect(try two.tryLock(.shared) && one.tryLock(.shared) && !one.tryLock())
    }
  }

  @Test func `a lock that stays held is given up, and its holder is named`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      let one = try folder.open("lock", .readingOrMaking)
      let two = try folder.open("lock")
      #expect(two.lockHolder() == "another program")
      #expect(try one.lock(patience: 0) && !two.lock(patience: 0) && !two.lock(patience: -.infinity))
      #expect(two.lockHolder() == "process \(getpid())")
    }
  }

  @Test func `a holder whom the kernel's table has skipped is looked up again`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      let one = Held(try folder.open("lock", .readingOrMaking))
      let two = try folder.open("lock")
      let looks = Calls()
      // The first look finds no lock.
      let locksAtSecond: SystemFaults.Ear = { call, path in
        guard path == "/proc/locks", call == "open" else { return nil }
        _ = looks.add(call)
        if looks.all.count == 2 { _ = try? one.file.tryLock() }
        return nil
      }
      #expect(SystemFaults.heard(by: locksAtSecond) { two.lockHolder() } == "process \(getpid())")
    }
  }

  @Test func `a lock is taken as soon as it is free`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      let one = Held(try folder.open("lock", .readingOrMaking))
      let two = try folder.open("lock")
      #expect(try one.file.tryLock())
      let calls = Calls()
      // The fourth call is the one that unlocks.
      let unlocksAtThird: SystemFaults.Ear = { call, _ in
        _ = calls.add(call)
        if calls.all.count == 3 { one.file.unlock() }
        return nil
      }
      #expect(try SystemFaults.heard(by: unlocksAtThird) { try two.lock(patience: Double(Watchdog.seconds)) })
      #expect(calls.all == ["flock", "flock", "flock", "flock"])
    }
  }

  private final class Held: Sendable {
    let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }
  }
}
