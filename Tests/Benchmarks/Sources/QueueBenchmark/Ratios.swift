import Dispatch
import Foundation
import Gatehouse
import GatehouseLocal

/// What our calls cost beside raw dispatch and raw concurrency, in one run, interleaved.
struct Ratios {
  let auth: Auth
  let user: User

  /// Prints median ratios of some rounds.
  func run() async throws {
    var synchronous: [Double] = []
    var asynchronous: [Double] = []
    var absolute: [[Double]] = [[], [], [], []]
    for _ in 0..<9 {
      let ours = perCall(20_000) { _ = auth.currentUser }
      let queue = DispatchQueue(label: "raw")
      var value = 0
      let raw = perCall(20_000) { queue.sync { value += 1 } }
      let token = try await perCall(20_000) { _ = try await user.getIDToken() }
      let actor = RawActor()
      let hop = try await perCall(20_000) { _ = await actor.token() }
      synchronous.append(ours / raw)
      asynchronous.append(token / hop)
      for (index, figure) in [ours, raw, token, hop].enumerated() { absolute[index].append(figure) }
    }
    print("median of 9 interleaved rounds of 20,000 calls")
    print(line("auth.currentUser", absolute[0], "DispatchQueue.sync", absolute[1], synchronous))
    print(line("user.getIDToken(), fresh", absolute[2], "actor on a dispatch queue", absolute[3], asynchronous))
  }

  private func line(
    _ ours: String, _ our: [Double], _ raw: String, _ their: [Double], _ ratios: [Double]
  ) -> String {
    String(
      format: "%@ %.2f µs   %@ %.2f µs   ratio %.2f", ours, median(our), raw, median(their), median(ratios))
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func perCall(_ count: Int, _ body: () -> Void) -> Double {
    let begin = ContinuousClock.now
    for _ in 0..<count { body() }
    return microseconds(ContinuousClock.now - begin) / Double(count)
  }

  private func perCall(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
    let begin = ContinuousClock.now
    for _ in 0..<count { try await body() }
    return microseconds(ContinuousClock.now - begin) / Double(count)
  }

  private func microseconds(_ time: Duration) -> Double {
    Double(time.components.seconds) * 1e6 + Double(time.components.attoseconds) / 1e12
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
