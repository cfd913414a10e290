package import GatehouseBase

/// The folder that a user's programs share, unless another one is specified.
package enum DefaultHome {
  /// - Parameters:
  ///   - given: the folder that was specified, if any.
  ///   - variable: looks up an environment variable. An empty one counts as unset.
  package static func path(_ given: String?, variable: (String) -> String?) throws(AuthError) -> String {
    func set(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path = given ?? set("GATEHOUSE_HOME") { return path }
    // The XDG specification requires relative paths to be ignored.
    if let state = set("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/gatehouse" }
    if let user = set("HOME") { return user + "/.local/state/gatehouse" }
    throw AuthError(.invalidArgument, "there is no $HOME to keep state in; name a folder with --home")
  }
}
