import Dispatch
import GatehouseQueues

/// One uncontended `sync`: plain dispatch, our queue without the monitor, and with it; and the same of a lock.
///
/// Processor time of this thread; the three in turns, a median of the rounds, so that noise meets all of them.
@main struct WaitBenchmark {
  static let rounds = 41
  static let calls = 50_000

  static func main() {
    let plain = DispatchQueue(label: "plain"), ours = SerialQueue(label: "ours"), lock = Lock(0)
    var times = [[Double]](repeating: [], count: 6)
    var sum = 0
    for _ in 0..<rounds {
      times[0].append(time { sum &+= plain.sync { sum } })
      times[1].append(time { sum &+= ours.sync { sum } })
      times[2].append(
        time {
          sum &+= lock.withLock {
            $0 &+= 1; return $0
          }
        })
      WaitMonitor.start(.keep)
      times[3].append(time { sum &+= ours.sync { sum } })
      times[4].append(
        time {
          sum &+= lock.withLock {
            $0 &+= 1; return $0
          }
        })
      let inner = SerialQueue(label: "inner")
      times[5].append(ours.sync { time { sum &+= inner.sync { sum } } })
      WaitMonitor.stop()
    }
    let medians = times.map { $0.sorted()[rounds / 2] }
    print(
      "one uncontended call, nanoseconds of processor time; medians of \(rounds) rounds of \(calls), in turns (\(sum & 1))\n"
    )
    row("DispatchQueue.sync", medians[0], nil, nil)
    row("SerialQueue.sync, monitor off", medians[1], medians[1] / medians[0], 1.05)
    row("SerialQueue.sync, monitor on", medians[3], medians[3] / medians[1], 3)
    row("the same, another queue held", medians[5], medians[5] / medians[1], nil)
    row("Lock.withLock, monitor off", medians[2], nil, nil)
    row("Lock.withLock, monitor on", medians[4], medians[4] / medians[2], nil)
  }

  static func row(_ name: String, _ time: Double, _ ratio: Double?, _ most: Double?) {
    let text = ratio.map { "  ÷ \(rounded($0))" } ?? ""
    let judged = most.map { limit in "  ≤ \(limit)  \((ratio ?? .infinity) <= limit ? "reached" : "MISSED")" } ?? ""
    print(name.padded(to: 34) + rounded(time) + text + judged)
  }

  static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

  @inline(never)
  static func time(_ body: () -> Void) -> Double {
    let begin = ThreadTime.nanoseconds
    for _ in 0..<calls { body() }
    return Double(ThreadTime.nanoseconds - begin) / Double(calls)
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 1)) }
}
