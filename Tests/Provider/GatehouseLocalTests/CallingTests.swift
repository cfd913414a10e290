import Dispatch
import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit
import Testing

/// How the backend's own calls begin, end and deliver.
struct CallingTests {
  @Test func `calls begin in the order in which they are made, in both forms`() async throws {
    for _ in 0..<20 {
      let scene = Scene()
      let ends = Ends()
      scene.backend.keySet { ends.add("keys", $0) }
      scene.backend.close { ends.add("close", $0) }
      scene.backend.open { ends.add("open", $0) }
      await expectRefusal(.closed) { try await scene.backend.keySet() }
      #expect(await ends.all(3) == ["close ok", "keys ok", "open closed"])
    }
  }

  @Test func `every completion comes once, on the callback queue`() async throws {
    let folder = TemporaryFolder()
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "mine", attributes: .concurrent)
    queue.setSpecific(key: key, value: true)
    var options = LocalOptions()
    options.signing = .es256
    let backend = LocalBackend(directory: folder.home, options: options, callbackQueue: queue)
    let ends = Ends { DispatchQueue.getSpecific(key: key) == true }
    let file = folder.path + "/backup.tar"
    backend.open { ends.add("open", $0) }
    backend.keySet { ends.add("keys", $0) }
    #expect(await ends.all(2) == ["keys ok", "open ok"])
    backend.backup(to: file) { ends.add("backup", $0) }
    #expect(await ends.all(3).contains("backup ok"))
    backend.backup(to: file) { ends.add("second backup", $0) }
    #expect(await ends.all(4).contains("second backup invalidArgument"))
    LocalBackend.restore(from: file, to: folder.path + "/copy", callbackQueue: queue) { ends.add("restore", $0) }
    #expect(await ends.all(5).contains("restore ok"))
    backend.close { ends.add("close", $0) }
    #expect(await ends.all(6).contains("close ok"))
    #expect(ends.strangers == [])
  }

  @MainActor @Test func `a completion of the main actor comes there, whatever the callback queue is`() async throws {
    let folder = TemporaryFolder()
    let backend = LocalBackend(directory: folder.home, callbackQueue: DispatchQueue(label: "mine"))
    await withCheckedContinuation { done in
      backend.close { _ in
        MainActor.assertIsolated()
        done.resume()
      }
    }
  }

  @Test func `a caller who is cancelled is released at once, and a close still awaits the call`() async throws {
    let folder = TemporaryFolder()
    let clock = HeldClock()
    let backend = LocalBackend.cheap(folder.home, clock)
    try await backend.open()
    clock.hold()
    let call = Task { try await backend.backup(to: folder.path + "/backup.tar") }
    await clock.isAsked()
    call.cancel()
    await expectRefusal(.cancelled) { try await call.value }
    let ends = Ends()
    backend.close { ends.add("close", $0) }
    await expectRefusal(.closed) { try await backend.open() }  // behind the close
    #expect(ends.count == 0)
    #expect(try folder.names.contains("accounts.sqlite-wal"))
    clock.release()
    #expect(await ends.all(1) == ["close ok"])
    #expect(try !folder.names.contains("accounts.sqlite-wal"))
  }

  /// Its deadline cancels a call of the engine, and the answer may hold the only good tokens.
  @Test func `a call that is cancelled is answered all the same`() async throws {
    let folder = TemporaryFolder()
    let clock = HeldClock()
    let backend = LocalBackend.cheap(folder.home, clock)
    try await backend.open()
    clock.hold()
    let call = Task { try await backend.answer(SignUp()) }
    await clock.isAsked()
    call.cancel()
    _ = try await backend.keySet()  // behind all that the cancellation put on the work queue
    clock.release()
    let answer = try await call.value
    let account = try await backend.answer(Lookup(idToken: answer.idToken)).users?.first
    #expect(account?.localId == answer.localId)
  }

  @Test func `an opening that fails is tried again by each call that waits for it`() async throws {
    let scene = Scene()
    try Data().write(to: URL(filePath: scene.folder.home))  // a file where the folder is to be
    let ends = Ends()
    for name in ["a", "b"] { scene.backend.open { ends.add(name, $0) } }
    #expect(await ends.all(2) == ["a providerUnsafe", "b providerUnsafe"])
    try FileManager.default.removeItem(atPath: scene.folder.home)
    try await scene.backend.open()
  }
}

/// How calls ended, noted by their completions.
private final class Ends: Sendable {
  private let ends = Lock<[String]>([])
  private let wrong = Lock<[String]>([])
  private let added = AsyncStream<Void>.makeStream()
  private let isInPlace: @Sendable () -> Bool

  /// - Parameter isInPlace: whether the calling thread is where completions are to come.
  init(_ isInPlace: @escaping @Sendable () -> Bool = { true }) { self.isInPlace = isInPlace }

  func add<Value>(_ name: String, _ result: Result<Value, AuthError>) {
    if !isInPlace() { wrong.withLock { $0.append(name) } }
    let end = if case .failure(let error) = result { "\(error.code)" } else { "ok" }
    ends.withLock { $0.append("\(name) \(end)") }
    added.continuation.yield()
  }

  var count: Int { ends.withLock { $0.count } }
  /// The calls whose completions came elsewhere.
  var strangers: [String] { wrong.withLock { $0 } }

  /// All of them, sorted, when there are `count`.
  func all(_ expected: Int) async -> [String] {
    if count < expected { for await _ in added.stream where count >= expected { break } }
    return ends.withLock { $0.sorted() }
  }
}
