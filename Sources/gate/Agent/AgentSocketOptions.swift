import ArgumentParser
import GatehouseAgent
import GatehouseAgentClient
import GatehouseBase

/// The socket of the daemon that a command asks, or that the daemon listens at.
struct AgentSocketOptions: ParsableArguments {
  @OptionGroup var folder: FolderOptions
  @Option(
    help: ArgumentHelp("The daemon's socket, if it is not where the environment says.", valueName: "path"),
    completion: .file(), transform: fileName)
  var socket: String?

  func path() throws(AuthError) -> String {
    if let socket { return socket }
    return try AgentSocket.path(home: folder.path, variable: GivenText.variable)
  }

  func client() throws(AuthError) -> AgentClient { AgentClient(socket: try path()) }

  /// Asks the daemon for a token that lasts for some seconds. For an unknown account the error names the commands that
  /// help.
  func token(of name: String, lasting seconds: Int) async throws(AuthError) -> LentToken {
    do throws(AuthError) {
      return try await typed { try await client().token(of: name, minValidity: .seconds(seconds)) }
    } catch  where error.code == .accountUnknown {
      throw AuthError(
        .accountUnknown,
        "\(error.message); gate agent list shows the accounts, and gate agent login makes one")
    }
  }
}

extension AgentClient {
  /// Has a daemon that runs read its settings again. Without one there is nothing to do.
  func reloadIfRunning() async throws(AuthError) {
    do throws(AuthError) { _ = try await answer("POST", "/v1/reload") } catch {
      guard error.code == .networkError else { throw error }
    }
  }
}
