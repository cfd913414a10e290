import GatehouseAgent
import GatehouseSystem

/// Tells the service manager that the daemon is alive, if it wants to know (`WATCHDOG_USEC`): twice in the given time.
///
/// Each time the agent answers on its work queue first. A daemon whose queue is stuck falls silent, and is restarted.
struct AgentWatchdog: Sendable {
  private let pings: Task<Void, Never>?

  init(_ agent: Agent) {
    func number(_ name: String) -> Int64? {
      CurrentProcess.variable(name).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
    guard let time = number("WATCHDOG_USEC"), time > 0,
      number("WATCHDOG_PID").map({ $0 == Int64(CurrentProcess.id) }) ?? true
    else {
      pings = nil
      return
    }
    pings = Task {
      while !Task.isCancelled {
        _ = agent.statuses.count
        ServiceNotice.tell("WATCHDOG=1")
        try? await Task.sleep(for: .microseconds(time / 2))
      }
    }
  }

  func cancel() { pings?.cancel() }
}
