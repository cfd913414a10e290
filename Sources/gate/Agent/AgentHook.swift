import GatehouseBase
import GatehouseQueues
import GatehouseSystem

/// The command of the setting `onNeedsPerson`, which a reload replaces.
final class AgentHook: Sendable {
  private let command: Lock<String?>

  init(_ command: String?) { self.command = Lock(command) }

  /// Replaces the command.
  ///
  /// - Returns: the former one.
  @discardableResult
  func set(_ command: String?) -> String? {
    self.command.withLock { current in
      defer { current = command }
      return current
    }
  }

  /// Starts the command with the account's name and the reason in its environment. Does not wait for its end.
  func run(_ account: String, _ reason: AuthError) {
    guard let command = command.withLock({ $0 }) else { return }
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
