import Dispatch
import Foundation
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import HangGuard
import IdentityToolkit
import Testing

/// What the end of a backend leaves in its folder.
struct ClosingTests {
  @Test func `a plain copy of a closed folder is whole`() async throws {
    let scene = Scene()
    let other = scene.another()
    let user = try await scene.signUp()
    _ = try await other.answer(Lookup(idToken: user.idToken))
    try await scene.backend.close()
    try await other.close()
    #expect(try scene.folder.names == ["accounts.sqlite", "audit", "in-use.lock", "keys", "opening.lock"])

    let copy = TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: copy.home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for name in ["accounts.sqlite", "keys"] {
      try FileManager.default.copyItem(atPath: "\(scene.folder.home)/\(name)", toPath: "\(copy.home)/\(name)")
    }
    let backend = LocalBackend.cheap(copy.home, scene.clock)
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    #expect(try await backend.answer(call).localId == user.localId)
    _ = try await backend.answer(Lookup(idToken: user.idToken))
  }

  @Test(.endsIfItHangs) func `a backend that goes closes its folder`() async throws {
    let folder = TemporaryFolder()
    try await LocalBackend.cheap(folder.home).open()
    while try folder.names != ["accounts.sqlite", "in-use.lock", "keys", "opening.lock"] { await Task.yield() }
  }

  @Test func `a closed backend refuses calls, and closing it again is no error`() async throws {
    let scene = Scene()
    let user = try await scene.signUp()
    try await scene.backend.close()
    try await scene.backend.close()
    await expectRefusal(.closed) { try await scene.lookUp(user.idToken) }
    await expectRefusal(.closed) { try await scene.backend.open() }
    await expectRefusal(.closed) { try await scene.backend.keySet() }
  }

  @Test func `a backend that was never used makes no folder when it is closed`() async throws {
    let scene = Scene()
    try await scene.backend.close()
    #expect(!FileManager.default.fileExists(atPath: scene.folder.home))
  }

  @Test func `closing awaits the calls that were made before`() async throws {
    let folder = TemporaryFolder()
    let clock = HeldClock()
    let backend = LocalBackend.cheap(folder.home, clock)
    try await backend.open()
    clock.hold()
    let call = Task { try await backend.answer(SignUp()) }
    await clock.isAsked()
    let closing = Task { try await backend.close() }
    // Until the close has begun: from then on calls are refused.
    while (try? await backend.open()) != nil { await Task.yield() }
    await expectRefusal(.closed) { try await backend.answer(GetPasswordPolicy()) }
    #expect(try folder.names.contains("accounts.sqlite-wal"))
    clock.release()
    #expect(try await !call.value.localId.isEmpty)
    try await closing.value
    #expect(try !folder.names.contains("accounts.sqlite-wal"))
  }

  @Test(.endsIfItHangs)
  func `a call of an open provider is answered while the work queue is held`() async throws {
    let backend = LocalBackend.cheap(TemporaryFolder().home)
    try await backend.open()
    let free = DispatchSemaphore(value: 0)
    WorkQueue.async("a test holds the queue") { free.wait() }
    let call = Task.detached { try await backend.answer(GetPasswordPolicy()) }
    _ = try await call.value
    free.signal()
  }

  /// In a process of its own: Dispatch replaces one blocked thread a second, and all other tests would stand still.
  @Test func `calls that only read do not wait for those that change something`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      let clock = HeldClock(), folder = TemporaryFolder(), width = 16
      let backend = LocalBackend.cheap(folder.home, clock)
      let user = try await backend.answer(SignUp())
      clock.hold()
      let changes = (0..<width).map { _ in Task { try? await backend.answer(RevokeSessions(idToken: user.idToken)) } }
      for _ in changes { await clock.isAsked() }
      clock.letOthersPass()
      #expect(try await backend.answer(Lookup(idToken: user.idToken)).users?.first?.localId == user.localId)
      let refreshed = try await backend.answer(ExchangeRefreshToken(refreshToken: user.refreshToken))
      #expect(refreshed.userId == user.localId)
      for _ in changes { clock.release() }
      for change in changes { _ = await change.value }
      try await backend.close()
      #expect(try folder.names.contains("accounts.sqlite"))
    }
  }
}

extension TemporaryFolder {
  /// The names in the home, in order.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: home).sorted() } }

  /// Removes the home at once: a provider that is open may make a file in a folder that is being emptied.
  func removeHome() throws {
    let removed = path + "/removed"
    try FileManager.default.moveItem(atPath: home, toPath: removed)
    while FileManager.default.fileExists(atPath: removed) { try? FileManager.default.removeItem(atPath: removed) }
  }
}

/// A clock that holds each thread which asks it, once it is told to.
final class HeldClock: Clocks {
  private struct State {
    var isHeld = false
    var threads = 0
  }

  private let state = Lock(State())
  private let asked = AsyncStream<Void>.makeStream()
  private let released = DispatchSemaphore(value: 0)

  func hold() { state.withLock { $0.isHeld = true } }
  func isAsked() async { for await _ in asked.stream { return } }
  /// Holds no further thread; those that are held stay so.
  func letOthersPass() { state.withLock { $0.isHeld = false } }
  /// Lets all threads go on: the provider's upkeep may be held beside the test's own call.
  func release() {
    let held = state.withLock { state in
      defer { state = State() }
      return state.threads
    }
    for _ in 0..<held { released.signal() }
  }

  func now() -> ClockReading {
    let isHeld = state.withLock { state in
      if state.isHeld { state.threads += 1 }
      return state.isHeld
    }
    if isHeld {
      asked.continuation.yield()
      released.wait()
    }
    return ClockReading(wall: 1_800_000_000, boot: 1000, bootID: "a test")
  }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation { AlarmCancellation {} }
}
