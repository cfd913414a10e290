import GatehouseAgent
import GatehouseAgentServer
import GatehouseSystem

/// Gives the owner's signs of life, four in the silence after which it may be ended.
///
/// Each time the agent answers on its work queue first. A daemon whose queue is stuck falls silent, and another one may
/// take its place.
struct AgentHeartbeat: Sendable {
  private let beats: Task<Void, Never>

  init(_ agent: Agent, _ ownership: AgentOwnership) {
    beats = Task {
      while !Task.isCancelled {
        _ = agent.statuses.count
        do throws(SystemError) { try ownership.beat() } catch {
          StandardError.say("the sign of life could not be written: \(error)")
        }
        try? await Task.sleep(for: .milliseconds(ownership.silence * 250))
      }
    }
  }

  func cancel() { beats.cancel() }
}
