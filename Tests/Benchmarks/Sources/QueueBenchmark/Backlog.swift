import Dispatch
import Foundation
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import Synchronization

/// 5,000 calls on one user from one thread, one after the other and without waiting. How long does `currentUser` wait
/// meanwhile, on another thread?
///
/// A neighbor that takes the processor adds to a wait and is no fault of ours. So a wait counts as long as it took, or
/// as the process's threads used the processor meanwhile, all together, whichever is less.
struct Backlog {
  private static let calls = 5_000
  private static let rounds = 7

  func run() async throws -> [Figure] {
    [
      try await figure("getIDToken(forcingRefresh: true)") { user, done in
        user.getIDToken(forcingRefresh: true) { _ in done() }
      },
      try await figure("reload()") { user, done in user.reload { _ in done() } },
    ]
  }

  private func figure(
    _ name: String, _ call: @escaping @Sendable (User, _ done: @escaping @Sendable () -> Void) -> Void
  ) async throws -> Figure {
    let callbacks = DispatchQueue(label: "benchmark.callbacks")
    let auth = Auth(.init(backend: ScriptedBackend(), callbackQueue: callbacks))
    let user = try await auth.signInAnonymously().user
    let before = Auth.diagnostics
    var worst: [Wait] = []
    var took: [Double] = []
    var used: [Double] = []
    for _ in 0..<Self.rounds {
      let watcher = Watcher(auth)
      let begin = ContinuousClock.now
      let usedBefore = processorTime()
      await round(user, call)
      used.append(processorTime() - usedBefore)
      took.append((ContinuousClock.now - begin).inMicroseconds)
      worst.append(await watcher.stop())
    }
    let after = Auth.diagnostics
    let blocks = Double(after.blocks - before.blocks) / Double(Self.rounds * Self.calls)
    await trace(user, call)
    let rounds = worst.map { String(format: "%.1f/%.1f", $0.wall / 1e3, $0.processor / 1e3) }.joined(separator: " ")
    return Figure(
      "worst wait of currentUser behind 5,000 \(name)", median(worst.map(\.counted)) / 1e3, atMost: 20, "ms",
      String(
        format: "rounds, wall/processor: %@ ms; a call: %.1f blocks, %.1f µs of all threads, %.1f µs in all", rounds,
        blocks,
        median(used) / Double(Self.calls), median(took) / Double(Self.calls)))
  }

  /// Makes all calls, and returns when all have ended.
  private func round(
    _ user: User, _ call: @escaping @Sendable (User, _ done: @escaping @Sendable () -> Void) -> Void
  ) async {
    await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
      let left = Countdown(Self.calls) { ended.resume() }
      Thread.detachNewThread { for _ in 0..<Self.calls { call(user) { left.count() } } }
    }
  }

  /// Says which blocks of the work queue a call is made of, and how long each takes.
  private func trace(
    _ user: User, _ call: @escaping @Sendable (User, _ done: @escaping @Sendable () -> Void) -> Void
  ) async {
    QueueTrace.start(limit: 1_000_000)
    await round(user, call)
    var blocks: [String: [Double]] = [:]
    let trace = try? JSONSerialization.jsonObject(with: Data(QueueTrace.stop())) as? [String: Any]
    for event in trace?["traceEvents"] as? [[String: Any]] ?? [] {
      guard let name = event["name"] as? String, let duration = event["dur"] as? Double else { continue }
      blocks[name, default: []].append(duration)
    }
    for (name, times) in blocks.sorted(by: { $0.value.reduce(0, +) > $1.value.reduce(0, +) }).prefix(6) {
      let sum = times.reduce(0, +)
      print(
        String(
          format: "       %.2f blocks a call, median %.1f µs, longest %.0f µs, %.1f µs a call in all: ",
          Double(times.count) / Double(Self.calls), median(times), times.max() ?? 0, sum / Double(Self.calls)) + name)
    }
  }
}

/// How long a call took, and how long all threads of the process ran meanwhile; in microseconds.
private struct Wait: Sendable {
  var wall = 0.0
  var processor = 0.0
  var counted: Double { min(wall, processor) }
}

/// Processor time of all threads of the process, in microseconds.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// Asks for the current user all the time, on a thread of its own, and keeps the longest wait.
private final class Watcher: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let worst = AsyncStream<Wait>.makeStream()

  init(_ auth: Auth) {
    Thread.detachNewThread { [self] in
      var longest = Wait()
      while !isStopped.load(ordering: .relaxed) {
        let begin = ContinuousClock.now
        let used = processorTime()
        _ = auth.currentUser
        let wait = Wait(wall: (ContinuousClock.now - begin).inMicroseconds, processor: processorTime() - used)
        if wait.counted > longest.counted { longest = wait }
        usleep(200)  // asks often enough, and leaves the processor to the measured threads
      }
      worst.continuation.yield(longest)
    }
  }

  /// The longest wait.
  func stop() async -> Wait {
    isStopped.store(true, ordering: .relaxed)
    var values = worst.stream.makeAsyncIterator()
    return await values.next() ?? Wait()
  }
}

/// Calls `ended` when it has been counted down.
private final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let ended: @Sendable () -> Void

  init(_ count: Int, ended: @escaping @Sendable () -> Void) {
    left = Atomic(count)
    self.ended = ended
  }

  func count() {
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ended() }
  }
}
