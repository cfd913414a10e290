package import GatehouseBase

/// The folder that a user's programs share, unless they are told another.
package enum DefaultHome {
  /// - Parameters:
  ///   - given: the folder that the program was told, if it was.
  ///   - variable: looks a variable of the environment up. An empty one counts as none.
  package static func path(_ given: String?, variable: (String) -> String?) throws(AuthError) -> String {
    func set(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path = given ?? set("GATEHOUSE_HOME") { return path }
    // The XDG specification says to ignore relative paths.
    if let state = set("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/gatehouse" }
    if let user = set("HOME") { return user + "/.local/state/gatehouse" }
    throw AuthError(.invalidArgument, "there is no $HOME to keep state in; name a folder with --home")
  }
}
