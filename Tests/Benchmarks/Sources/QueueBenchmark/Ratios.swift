import Dispatch
import Foundation
import Gatehouse
import GatehouseLocal

/// What our calls cost beside raw dispatch and raw concurrency.
///
/// Each figure is the median of the ratios of many pairs of short batches, ours and the raw one in turns: a neighbor
/// that takes the processor spoils a few pairs, not the figure.
struct Ratios {
  let auth: Auth
  let user: User

  func run() async throws -> [Figure] { [synchronous(), try await asynchronous()] }

  private func synchronous() -> Figure {
    let queue = DispatchQueue(label: "raw")
    var value = 0
    var pairs: [(ours: Double, raw: Double)] = []
    for _ in 0..<2_001 {
      let ours = perCall(100) { _ = auth.currentUser }
      pairs.append((ours, perCall(100) { queue.sync { value += 1 } }))
    }
    return figure("auth.currentUser ÷ DispatchQueue.sync", pairs, atMost: 4)
  }

  private func asynchronous() async throws -> Figure {
    let actor = RawActor()
    var pairs: [(ours: Double, raw: Double)] = []
    for _ in 0..<1_001 {
      let ours = try await perCall(20) { _ = try await user.getIDToken() }
      pairs.append((ours, try await perCall(20) { _ = await actor.token() }))
    }
    return figure("user.getIDToken(), fresh ÷ actor on a dispatch queue", pairs, atMost: 1.5)
  }

  private func figure(_ name: String, _ pairs: [(ours: Double, raw: Double)], atMost bound: Double) -> Figure {
    let ours = median(pairs.map(\.ours)), raw = median(pairs.map(\.raw))
    return Figure(
      name, median(pairs.map { $0.ours / $0.raw }), atMost: bound, "",
      String(format: "%.2f µs, raw %.2f µs", ours, raw))
  }

  @inline(never)
  private func perCall(_ count: Int, _ body: () -> Void) -> Double {
    let begin = ContinuousClock.now
    for _ in 0..<count { body() }
    return (ContinuousClock.now - begin).inMicroseconds / Double(count)
  }

  @inline(never)
  private func perCall(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
    let begin = ContinuousClock.now
    for _ in 0..<count { try await body() }
    return (ContinuousClock.now - begin).inMicroseconds / Double(count)
  }
}

/// The least that an actor on a dispatch queue can do.
private actor RawActor {
  private let executor = RawExecutor()
  private var value = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  func token() -> Int {
    value += 1  // a method that changes nothing may run without a hop
    return value
  }
}

private final class RawExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "raw.actor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
