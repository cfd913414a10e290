import Dispatch
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Logging
import TestSupport
import Testing

/// Rule 9: a synchronous call on the work queue itself answers and is reported; in strict mode it stops.
struct CallInPlaceTests {
  @Test func `a synchronous call on the work queue answers, and is reported once for each call site`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      StrictMode.turnOff()
      let (log, lines) = RecordingLog.make()
      let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), logger: log, timeouts: .patient))
      try await auth.ready()
      let user = try await auth.createUser(withEmail: Scene.email, password: Scene.password).user
      for _ in 0..<3 {
        let answer = await withCheckedContinuation { done in
          WorkQueue.async("a stray deinit") { done.resume(returning: auth.currentUser) }
        }
        #expect(answer == user)
      }
      var report = lines.makeAsyncIterator()
      let first = try #require(await report.next())
      #expect(first.contains("currentUser") && first.contains("gatehouse.work"))
      #expect(first.contains("Holding the queue: a stray deinit"))
      #expect(first.contains("CallInPlaceTests"), "names the frame that asks: \(first)")
      WorkQueue.async("another") { _ = auth.state }
      let second = try #require(await report.next())
      #expect(second.contains("state") && second.contains("Holding the queue: another"))
      #expect(Auth.diagnostics.callsInPlace == 4)
    }
  }

  @Test func `in strict mode it stops, and names the call, the queue and both frames`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      endIfItHangs()
      StrictMode.turnOn()
      let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient))
      await withCheckedContinuation { done in
        WorkQueue.async("a stray deinit") {
          _ = auth.currentUser
          done.resume()
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for part in ["currentUser", "gatehouse.work", "a stray deinit", "CallInPlaceTests"] {
      #expect(text.contains(part), "\(part) is named in: \(text.prefix(2_000))")
    }
  }

  @Test func `a callback queue that nobody drains is reported, with the two ways out`() async throws {
    let stuck = DispatchQueue(label: "test.stuck")
    stuck.suspend()
    let (log, lines) = RecordingLog.make()
    let scene = Scene(callbackQueue: stuck) {
      $0.logger = log
      $0.callbackPatience = .milliseconds(20)
    }
    scene.auth.ready { _ in }
    var report = lines.makeAsyncIterator()
    let line = try #require(await report.next())
    #expect(line.contains("test.stuck") && line.contains("callbackQueue") && line.contains("async"))
    stuck.resume()
  }

  @Test func `async calls need no callback queue`() async throws {
    let stuck = DispatchQueue(label: "test.stuck")
    stuck.suspend()
    let (scene, user) = try await Scene.signedIn { $0.callbackQueue = stuck }
    _ = try await user.getIDToken(forcingRefresh: true)
    var changes = scene.auth.authStateChanges.makeAsyncIterator()
    #expect(await changes.next() == .some(user))
    try await scene.auth.flush()
    stuck.resume()
  }
}

/// A logger whose lines can be awaited.
struct RecordingLog: LogHandler {
  private let lines: AsyncStream<String>.Continuation
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  static func make() -> (Logger, AsyncStream<String>) {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    return (Logger(label: "test") { _ in RecordingLog(lines: continuation) }, stream)
  }

  private init(lines: AsyncStream<String>.Continuation) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.yield("\(event.message)") }
}
