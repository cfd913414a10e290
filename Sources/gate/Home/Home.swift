import Foundation
import Gatehouse
import GatehouseBase
import GatehouseLocal

/// The folder that a user's runs of `gate` share.
///
/// ```
/// provider/      the embedded identity provider: accounts and keys
/// session.json   the signed-in user, with tokens; 0600
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
  ///
  /// - Parameter beginsProvider: whether a folder without a provider gets one. Otherwise each call is refused there.
  func backend(beginsProvider: Bool) throws(AuthError) -> LocalBackend {
    var options = LocalOptions()
    options.beginsProvider = beginsProvider
    if let lifetime = environment[Self.lifetimeVariable], !lifetime.isEmpty {
      guard let seconds = Int(lifetime), (1...86400).contains(seconds) else {
        throw AuthError(.invalidArgument, "\(Self.lifetimeVariable) must be whole seconds from 1 to 86400")
      }
      options.tokenLifetime = .seconds(seconds)
    }
    return .local(directory: provider, options: options)
  }

  /// How long the embedded provider's tokens live, in seconds: for trying what happens when they end.
  static let lifetimeVariable = "GATEHOUSE_TOKEN_LIFETIME"

  /// Refuses a home without a folder for its provider, and one that others could put theirs in. Whether a provider is
  /// in the folder, its opening tells.
  func requireProvider() throws(AuthError) {
    guard try Self.status(of: provider) != nil, try Self.status(of: path) != nil else {
      throw AuthError(.providerUnavailable, "\(provider) has no identity provider yet; gate sign-up EMAIL makes one")
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

  /// Refuses the name of the session's file, or of one that the session's store keeps beside it.
  func requireNotSession(_ file: String) throws(AuthError) {
    let slash = file.lastIndex(of: "/")
    let name = slash.map { file[file.index(after: $0)...] } ?? file[...]
    guard name.hasPrefix("session.json") else { return }
    let folder = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    guard let own = Self.identity(of: path), own == Self.identity(of: folder) else { return }
    throw AuthError(.invalidArgument, "\(file) is the session's own file; name another file")
  }

  /// Tells a folder from every other, whatever it is called: its device and its number there.
  private static func identity(of folder: String) -> [Int]? {
    // With the point, a link is followed.
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/."),
      let device = attributes[.systemNumber] as? Int, let number = attributes[.systemFileNumber] as? Int
    else { return nil }
    return [device, number]
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
