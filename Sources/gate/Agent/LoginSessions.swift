import GatehouseAgent
import GatehouseAgentServer
import GatehouseBase
import IdentityToolkit
import Logging

/// The sessions of `gate agent login` that one server, or the home's own provider, answers for.
///
/// All of them share this object, so that 10,000 accounts keep little more than their names between two fetches.
final class LoginSessions: Sendable {
  let server: SessionServer?
  private let folder: AgentFolder
  private let keys: AgentKeys
  private let backend: any Backend
  private let figures: AgentFigures
  private let logger: Logger

  /// - Parameters:
  ///   - keys: the keys that the sessions are encrypted under.
  ///   - server: the server that answers; `nil` for the home's own provider.
  ///   - backend: asks the server, or is the provider.
  init(
    in folder: AgentFolder, _ keys: AgentKeys, at server: SessionServer?, _ backend: any Backend,
    _ figures: AgentFigures, _ logger: Logger
  ) {
    (self.folder, self.keys, self.server, self.backend) = (folder, keys, server, backend)
    (self.figures, self.logger) = (figures, logger)
  }

  /// Returns the source of an account.
  func source(of account: String) -> any TokenSource { LoginSource(account: account, sessions: self) }

  fileprivate func fetch(_ account: String) async throws(AuthError) -> LentToken {
    var home = try folder.home(of: account, keys)
    home.server = server
    return try await figures.counting(home.source(asking: backend, logger)).fetch()
  }
}

/// Three words, which a variable of the protocol's type has without a box.
private struct LoginSource: TokenSource {
  let account: String
  let sessions: LoginSessions
  var kind: String { SessionSource.name }

  func fetch() async throws(AuthError) -> LentToken { try await sessions.fetch(account) }
}

extension Home {
  /// The source of the home's session.
  func source(asking backend: any Backend, _ logger: Logger) -> SessionSource {
    SessionSource(path: session, encryption: encryption(at: session), backend: backend, logger: logger)
  }
}
