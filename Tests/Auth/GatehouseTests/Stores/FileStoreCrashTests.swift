import Foundation
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSystem
import Glibc
import HangGuard
import Testing

/// Every file call of a write fails once, and is once the last one of its process: what is stored is the old session
/// or the new, whole.
struct FileStoreCrashTests {
  enum Before: String, Sendable, CaseIterable { case nothing, session, damage, sessionOverDamage }

  /// A file with something in it, to be written over or erased.
  private struct Scene {
    let folder: String
    let before: Before
    let new: StoredSession?

    var path: String { folder + "/session" }
    var file: SessionFile { SessionFile(path: path, patience: Double(Watchdog.seconds)) }
    var contents: Data? { try? path.contents }

    init(in folder: String, _ before: Before, erasing: Bool) throws {
      (self.folder, self.before) = (folder, before)
      new = erasing ? nil : .sample("b")
      switch before {
      case .nothing: break
      case .session: _ = try file.write(.sample("a"), if: .always)
      case .damage: try path.fill("damage")
      case .sessionOverDamage:
        try path.fill("damage")
        _ = try file.write(.sample("a"), if: .always)
      }
    }

    /// What is stored is what was, or what was to be. Damage is kept by a sign-in, and goes before an erased session.
    func expectOldOrNew(_ old: Data?, when: String) throws {
      guard contents != old else { return }
      #expect(try file.load() == new, "\(when)")
      let keptAside = try? (path + ".damaged-1").contents
      if new == nil { #expect(keptAside == nil, "\(when)") }
      if new != nil, before == .damage { #expect(keptAside == Data("damage".utf8), "\(when)") }
    }

    func expectNextWriteLeavesNothingBehind(when: String) throws {
      #expect(try file.write(.sample("c"), if: .always) == .written, "\(when)")
      #expect(try file.load() == .sample("c"), "\(when)")
      let names = try folder.names.filter { !$0.contains("damaged") }
      #expect(names == ["session", "session.lock"], "\(when)")
    }
  }

  @Test func `a write is on the disk before it has its name, and its name before it is reported`() async throws {
    try await withTemporaryFolder { folder in
      let scene = try Scene(in: folder, .session, erasing: false)
      let calls = try recorded { _ = try scene.file.write(scene.new, if: .always) }
      #expect(calls.suffix(8) == ["write", "fchmod", "fsync", "fstat", "rename", "flock", "fsync", "flock"])
      let erasure = try recorded { _ = try scene.file.write(nil, if: .always) }
      #expect(erasure.suffix(3) == ["unlink", "fsync", "flock"])
    }
  }

  @Test(arguments: Before.allCases, [false, true])
  func `a call that fails leaves what was, and an error`(_ before: Before, erasing: Bool) async throws {
    var number = 0
    var goesOn = true
    while goesOn {
      try await withTemporaryFolder { folder in
        let scene = try Scene(in: folder, before, erasing: erasing)
        let old = scene.contents
        let (made, error) = attempt(scene, failing: number)
        goesOn = made.count > number
        let when = goesOn ? "call \(number), \(made[number]), fails" : "no call fails"
        let isNamed = made.prefix(number).contains { $0 == "rename" || $0 == "unlink" }
        if error == nil || isNamed {
          try scene.expectOldOrNew(old, when: when)
          if error == nil { #expect(try scene.file.load() == scene.new, "\(when)") }
        } else {
          #expect(scene.contents == old, "\(when)")
        }
        #expect(try !folder.names.contains { $0.contains(".tmp-") }, "\(when)")
        #expect(
          error.map { [.storeFailed, .storeUnreadable].contains($0.code) && !isLeaked(in: $0) } != false, "\(when)")
        // Only taking the store's lock must be heard. Giving a lock back may fail: it ends with its file. Without the
        // lock of the temporary file, that file stays if this process is killed.
        if goesOn, error == nil {
          #expect(made[number] == "flock" && number != made.firstIndex(of: "flock"), "\(when)")
        }
        try scene.expectNextWriteLeavesNothingBehind(when: when)
      }
      number += 1
    }
    #expect(number > 8)
  }

  @Test(arguments: Before.allCases, [false, true])
  func `a process killed at any call leaves the old session or the new`(_ before: Before, erasing: Bool) async throws {
    var count = 0
    try await withTemporaryFolder { folder in
      let scene = try Scene(in: folder, before, erasing: erasing)
      count = try recorded { _ = try scene.file.write(scene.new, if: .always) }.count
    }
    for number in 0..<count {
      try await withTemporaryFolder { folder in
        let scene = try Scene(in: folder, before, erasing: erasing)
        let old = scene.contents
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = scene.path as String, erasing = erasing as Bool, number = number as Int] in
          endIfItHangs()
          let calls = Lock(0)
          let dies: SystemFaults.Ear = { _, _ in
            calls.withLock { calls in
              if calls == number { kill(getpid(), SIGKILL) }
              calls += 1
              return nil
            }
          }
          _ = try SystemFaults.heard(by: dies) {
            try SessionFile(path: path, patience: Double(Watchdog.seconds)).write(
              erasing ? nil : .sample("b"), if: .always)
          }
        }
        try scene.expectOldOrNew(old, when: "killed at call \(number)")
        try scene.expectNextWriteLeavesNothingBehind(when: "killed at call \(number)")
      }
    }
  }

  @Test func `a writer removes what killed writers of this file left, and nothing else`() async throws {
    try await withTemporaryFolder { folder in
      let (digits, kept) = (String(repeating: "0a", count: 16), ["session.tmp-notes", "other.tmp-", "session.tmp-"])
      let others = [kept[0], kept[1] + digits, kept[2] + digits + "0", kept[2] + digits.uppercased()]
      for name in others + [kept[2] + digits] { try (folder + "/" + name).fill("left") }
      _ = try SessionFile(path: folder + "/session").write(.sample(), if: .always)
      #expect(try folder.names == (others + ["session", "session.lock"]).sorted())
    }
  }

  @Test func `a signal in the middle of a call changes nothing`() async throws {
    try await withTemporaryFolder { folder in
      let scene = try Scene(in: folder, .damage, erasing: false)
      let isInterrupted = Lock(false)
      let everySecond: SystemFaults.Ear = { _, _ in
        isInterrupted.withLock { isInterrupted in
          isInterrupted.toggle()
          return isInterrupted ? .interrupted : nil
        }
      }
      let outcome = try SystemFaults.heard(by: everySecond) { try scene.file.write(scene.new, if: .always) }
      #expect(outcome == .written)
      #expect(try scene.file.load() == scene.new)
    }
  }

  /// The file calls that `body` makes.
  private func recorded(_ body: () throws -> Void) throws -> [String] {
    let calls = Lock<[String]>([])
    try SystemFaults.heard(by: { call, _ in
      calls.withLock { $0.append(call) }; return nil
    }) { try body() }
    return calls.withLock { $0 }
  }

  /// Writes with one call failing; what was called, and how it ended.
  private func attempt(_ scene: Scene, failing number: Int) -> ([String], AuthError?) {
    let calls = Lock<[String]>([])
    let fails: SystemFaults.Ear = { call, _ in
      calls.withLock { calls in
        calls.append(call)
        return calls.count - 1 == number ? .inputOutput : nil
      }
    }
    let error: AuthError? = SystemFaults.heard(by: fails) {
      do throws(AuthError) {
        _ = try scene.file.write(scene.new, if: .always)
        return nil
      } catch { return error }
    }
    return (calls.withLock { $0 }, error)
  }
}
