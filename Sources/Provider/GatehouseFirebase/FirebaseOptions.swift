import GatehouseBase
public import GatehouseLocal
import GatehouseSystem

/// Where a `FirebaseApp` keeps its accounts and its session.
public struct FirebaseOptions: Sendable {
  /// The folder; `nil` for `$GATEHOUSE_HOME`, else `gatehouse` in `$XDG_STATE_HOME` or `~/.local/state`.
  public var home: String?
  /// The settings of the provider.
  public var provider: LocalOptions

  /// The user's home, and the provider's defaults.
  public init() {
    provider = LocalOptions()
    provider.enumerationProtection = false
  }

  /// The project's name: the audience of the ID tokens.
  public var projectID: String {
    get { provider.projectID }
    set { provider.projectID = newValue }
  }

  func folder() throws(AuthError) -> String {
    try DefaultHome.path(home) { name in
      CurrentProcess.variable(name).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }
}
