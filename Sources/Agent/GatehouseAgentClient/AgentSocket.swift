import GatehouseBase
import GatehouseSystem

/// The path of the daemon's socket. The daemon and its clients look it up in the same way.
package enum AgentSocket {
  package static let variable = "GATEHOUSE_AGENT_SOCKET"

  /// Returns the path: `$GATEHOUSE_AGENT_SOCKET`; else `agent/agent.socket` in `$GATEHOUSE_HOME`; else
  /// `gatehouse/agent.socket` in `$XDG_RUNTIME_DIR`; else `gatehouse/agent/agent.socket` in `$XDG_STATE_HOME` or
  /// `~/.local/state`.
  ///
  /// - Parameters:
  ///   - home: a home that was named for this program, in place of `$GATEHOUSE_HOME`.
  ///   - variable: looks up an environment variable. An empty one counts as unset.
  /// - Throws: `.invalidArgument` if the environment has none of these.
  package static func path(home: String? = nil, variable: (String) -> String?) throws(AuthError) -> String {
    func set(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    // The XDG specification requires relative paths to be ignored.
    func folder(_ name: String) -> String? { set(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    if let path = set(Self.variable) { return path }
    if let home = home ?? set("GATEHOUSE_HOME") { return home + "/agent/agent.socket" }
    if let folder = folder("XDG_RUNTIME_DIR") { return folder + "/gatehouse/agent.socket" }
    if let state = folder("XDG_STATE_HOME") ?? set("HOME").map({ $0 + "/.local/state" }) {
      return state + "/gatehouse/agent/agent.socket"
    }
    throw AuthError(.invalidArgument, "there is no $HOME to look for the agent's socket in; set \(Self.variable)")
  }

  /// Reads a variable of this process. One that is not UTF-8 counts as unset.
  static func environment(_ name: String) -> String? {
    CurrentProcess.variable(name).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
