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
  private let server: Lock<HTTPServer>
  private let checks = Lock<Task<Void, Never>?>(nil)

  /// - Parameters:
  ///   - path: the socket's path.
  ///   - make: makes a server that listens there, and the socket's folder.
  init(at path: String, _ make: @escaping @Sendable () throws(AuthError) -> HTTPServer) throws(AuthError) {
    self.path = path
    self.make = make
    server = Lock(try make())
  }

  /// Begins to listen.
  ///
  /// - Parameter again: whether the file is looked for every five seconds from then on.
  func start(again: Bool) async throws -> ServerAddress {
    let bound = try await server.withLock { $0 }.start()
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

  private func listenAgain() async {
    do {
      let next = try make()
      _ = try await next.start()
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
