import GatehouseBase
import GatehouseSystem

/// The command of the setting `onNeedsPerson`.
struct AgentHook: Sendable {
  private let command: String

  init(_ command: String) { self.command = command }

  /// Starts the command with the account's name and the reason in its environment. Does not wait for its end.
  func run(_ account: String, _ reason: AuthError) {
    let program = Program(
      "/bin/sh", ["/bin/sh", "-c", command],
      setting: ["GATEHOUSE_ACCOUNT": account, "GATEHOUSE_REASON": reason.message], isApart: true)
    do throws(SystemError) {
      let running = try program.start()
      Task {
        let ending = await running.ending()
        if ending != .exited(0) { StandardError.say("onNeedsPerson ended with status \(ending.status)") }
      }
    } catch { StandardError.say("onNeedsPerson could not be started: \(error)") }
  }
}
