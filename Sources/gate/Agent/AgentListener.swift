import GatehouseAgentServer
import GatehouseBase
import GatehouseQueues
import GatehouseServer
import GatehouseSystem
import Logging

/// The daemon's socket. If its file is removed, as when a user's session ends, it is made again: the daemon holds its
/// folder, so no other one can take its place.
final class AgentListener: Sendable {
  private let make: @Sendable () throws(AuthError) -> HTTPServer
  private let path: String
  private let isShared: Bool
  private let server: Lock<HTTPServer>
  private let checks = Lock<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - path: the socket's path.
  ///   - isShared: whether programs of all users may connect, because rules decide about them.
  ///   - make: makes a server that listens there, and the socket's folder.
  init(
    at path: String, isShared: Bool, _ make: @escaping @Sendable () throws(AuthError) -> HTTPServer
  ) throws(AuthError) {
    self.path = path
    self.isShared = isShared
    self.make = make
    server = Lock(try make())
  }

  /// Begins to listen.
  ///
  /// - Parameter again: whether the file is looked for every five seconds from then on.
  func start(again: Bool) async throws -> ServerAddress {
    let bound = try await begin(server.withLock { $0 })
    guard again else { return bound }
    checks.withLock {
      $0 = Task {
        while true {
          do { try await Task.sleep(for: .seconds(5)) } catch { return }
          guard (try? FileStatus.at(path)) == .some(nil) else { continue }
          await listenAgain()
        }
      }
    }
    return bound
  }

  private func begin(_ server: HTTPServer) async throws -> ServerAddress {
    let bound = try await server.start()
    guard isShared else { return bound }
    let location = FileLocation(path)
    do throws(SystemError) { try OpenFolder(location.folder, followingLink: true).openSocket(location.name) } catch {
      throw AuthError(.storeFailed, "the socket cannot be opened to other users: \(error)")
    }
    return bound
  }

  private func listenAgain() async {
    do {
      let next = try make()
      _ = try await begin(next)
      let former = server.withLock { server in
        defer { server = next }
        return server
      }
      StandardError.say("the socket was removed, and is there again: \(path)")
      try await former.stop()
    } catch {
      StandardError.say(
        "the socket was removed, and cannot be made again: \((error as? AuthError)?.message ?? "\(error)")")
    }
  }

  func stop() async throws {
    let checks = checks.withLock { checks in
      defer { checks = nil }
      return checks
    }
    checks?.cancel()
    await checks?.value
    try await server.withLock { $0 }.stop()
  }
}
