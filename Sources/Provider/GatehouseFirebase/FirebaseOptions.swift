import GatehouseBase
public import GatehouseLocal
import GatehouseSystem

/// The location of a `FirebaseApp`'s accounts and session.
public struct FirebaseOptions: Sendable {
  /// The folder; `nil` for `$GATEHOUSE_HOME`, otherwise `gatehouse` in `$XDG_STATE_HOME` or `~/.local/state`.
  public var home: String?
  /// The settings of the provider.
  public var provider: LocalOptions

  /// Makes options with the user's home and the provider's defaults, except that enumeration protection is off.
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
