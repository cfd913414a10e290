import Gatehouse
import GatehouseBase
import GatehouseLocal

/// The folder that a user's runs of `gate` share.
///
/// ```
/// provider/      the embedded identity provider: accounts and keys
/// session.json   who is signed in, with tokens; 0600
/// ```
struct Home: Sendable {
  let path: String
  private let environment: [String: String]

  var provider: String { path + "/provider" }
  var session: String { path + "/session.json" }

  /// - Parameter given: the folder that the arguments name, if they name one.
  init(_ given: String?, environment: [String: String]) throws(AuthError) {
    self.environment = environment
    func variable(_ name: String) -> String? {
      guard let value = environment[name], !value.isEmpty else { return nil }
      return value
    }
    if let path = given ?? variable("GATEHOUSE_HOME") {
      self.path = path
    } else if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
      // The specification wants relative ones ignored.
      path = state + "/gatehouse"
    } else if let user = variable("HOME") {
      path = user + "/.local/state/gatehouse"
    } else {
      throw AuthError(.invalidArgument, "there is no $HOME to keep state in; name a folder with --home")
    }
  }

  /// The home's own provider; nothing is touched before its first call.
  func backend() throws(AuthError) -> LocalBackend {
    var options = LocalOptions()
    if let lifetime = environment[Self.lifetimeVariable], !lifetime.isEmpty {
      guard let seconds = Int(lifetime), (1...86400).contains(seconds) else {
        throw AuthError(.invalidArgument, "\(Self.lifetimeVariable) must be whole seconds from 1 to 86400")
      }
      options.tokenLifetime = seconds
    }
    return .local(directory: provider, options: options)
  }

  /// How long the embedded provider's tokens live, in seconds: for trying what happens when they end.
  static let lifetimeVariable = "GATEHOUSE_TOKEN_LIFETIME"

  /// Refuses a home without a provider, which only a sign-up or a restore makes, and one that others could put theirs in.
  func requireProvider() throws(AuthError) {
    guard try Self.status(of: provider) != nil, try Self.status(of: path) != nil else {
      throw AuthError(.providerUnavailable, "\(path) has no identity provider yet; gate sign-up EMAIL makes one")
    }
    try requireOwn()
  }

  /// Refuses a home that others could change. One that is not there yet is ours.
  func requireOwn() throws(AuthError) {
    guard let status = try Self.status(of: path) else { return }
    guard status.owner == POSIXFile.effectiveUser, status.mode & 0o022 == 0 else {
      throw AuthError(.providerUnsafe, "\(path) is not yours alone; it must belong to you, with mode 700")
    }
  }

  /// What the system knows of a folder; `nil` when there is none.
  private static func status(of folder: String) throws(AuthError) -> FileStatus? {
    do throws(FileFailure) {
      return try ifThere { () throws(FileFailure) in try POSIXFolder(opening: folder).status() }
    } catch {
      throw AuthError(.providerUnavailable, "\(folder) cannot be opened: \(error.reason)")
    }
  }
}
