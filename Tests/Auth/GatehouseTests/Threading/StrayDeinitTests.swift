import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import HangGuard
import Logging
import TestSupport
import Testing

/// Rule 9 where it matters most: a `deinit` that runs on the work queue, in whatever is being destroyed there, and
/// asks.
struct StrayDeinitTests {
  enum Holder: String, CaseIterable, Codable, Sendable {
    case block, operation, operationThatWaited, local, localOfCallee, argument, result, childTask, handler, taskLocal
  }

  @Test(arguments: Holder.allCases)
  func `a deinit that asks on the work queue is answered, whatever held the object`(holder: Holder) async {
    await #expect(processExitsWith: .success) { [holder] in
      endIfItHangs()  // an object that is released elsewhere is waited for in vain
      StrictMode.turnOff()
      let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), timeouts: .patient))
      try await auth.ready()
      for _ in 0..<20 { await holder.release(of: auth) }
      #expect(Auth.diagnostics.callsInPlace == 20)
    }
  }

  @Test func `the report names the deinit that asks`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      StrictMode.turnOff()
      let (log, lines) = RecordingLog.make()
      let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), logger: log, timeouts: .patient))
      try await auth.ready()
      await Holder.operationThatWaited.release(of: auth)
      var reports = lines.makeAsyncIterator()
      let report = try #require(await reports.next())
      #expect(report.contains("currentUser") && report.contains("Asker"), "\(report)")
    }
  }
}

/// Asks when it is released.
private final class Asker: Sendable {
  let auth: Auth
  init(_ auth: Auth) { self.auth = auth }
  deinit { _ = auth.currentUser }
  @inline(never) func touch() {}
}

extension StrayDeinitTests.Holder {
  /// Returns when an object is gone that was released on the work queue.
  fileprivate func release(of auth: Auth) async {
    let box = TakeOnce(Asker(auth))
    let before = Auth.diagnostics.callsInPlace
    switch self {
    case .block:
      await withCheckedContinuation { done in
        WorkQueue.async("a maker") { Self.makeBlock(box) { done.resume() } }
      }
    case .operation:
      await withCheckedContinuation { done in
        WorkQueue.async("a maker") { Self.makeOperation(box, waits: false) { done.resume() } }
      }
    case .operationThatWaited:
      await withCheckedContinuation { done in
        WorkQueue.async("a maker") { Self.makeOperation(box, waits: true) { done.resume() } }
      }
    case .local: await Self.local(box)
    case .localOfCallee:
      await Self.callee(box)
      await Self.turn()
    case .argument: await Self.argument(box)
    case .result: await Self.result(box)
    case .childTask: await Self.childTask(box)
    case .handler: await Self.handler(box)
    case .taskLocal: await Self.taskLocal(box)
    }
    // The last release may come after the last line: in turn behind it.
    while Auth.diagnostics.callsInPlace == before { await Self.turn() }
  }

  private static func makeBlock(_ box: TakeOnce<Asker>, _ done: @escaping @Sendable () -> Void) {
    guard let asker = box.take() else { return }
    WorkQueue.async("a block") {
      asker.touch()
      done()
    }
  }

  private static func makeOperation(
    _ box: TakeOnce<Asker>, waits: Bool, _ done: @escaping @Sendable () -> Void
  ) {
    guard let asker = box.take() else { return }
    WorkQueue.start("an operation") {
      if waits { await turn() }
      asker.touch()
      done()
    }
  }

  /// Leaves the work queue and comes back to it.
  @WorkQueue private static func turn() async {
    await withCheckedContinuation { done in WorkQueue.async("turn") { done.resume() } }
  }

  @WorkQueue private static func local(_ box: TakeOnce<Asker>) async {
    let asker = box.take()
    await turn()
    asker?.touch()
  }

  @WorkQueue private static func callee(_ box: TakeOnce<Asker>) async {
    await local(box)
    await turn()
  }

  @WorkQueue private static func argument(_ box: TakeOnce<Asker>) async {
    if let asker = box.take() { await keep(asker) }
  }

  @WorkQueue private static func keep(_ asker: consuming Asker) async {
    await turn()
    asker.touch()
  }

  @WorkQueue private static func result(_ box: TakeOnce<Asker>) async {
    _ = await Task { @WorkQueue in
      await turn()
      return box.take()
    }.value
  }

  @WorkQueue private static func childTask(_ box: TakeOnce<Asker>) async {
    await withTaskGroup { group in
      group.addTask { await local(box) }
    }
  }

  @WorkQueue private static func handler(_ box: TakeOnce<Asker>) async {
    guard let asker = box.take() else { return }
    await cancellable(asker)
  }

  @WorkQueue private static func cancellable(_ asker: consuming Asker) async {
    let kept = asker
    await withTaskCancellationHandler {
      await turn()
    } onCancel: {
      kept.touch()
    }
  }

  @WorkQueue private static func taskLocal(_ box: TakeOnce<Asker>) async {
    await Local.$asker.withValue(box.take()) { await turn() }
  }
}

private enum Local {
  @TaskLocal static var asker: Asker?
}
