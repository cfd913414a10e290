import Foundation
import GatehouseLocal
import GatehouseQueues
import GatehouseServer
import IdentityToolkit

/// A provider behind a server in this process, which counts refreshes and can keep them waiting.
final class HeldProvider: RequestHandler {
  private struct State {
    var refreshes = 0
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let provider: LocalBackend
  private let server: IdentityServer
  private let state = Lock(State())

  init(folder: String) {
    var options = LocalOptions()
    // Signatures would take most of the time of ten thousand refreshes.
    options.signing = .es256
    provider = LocalBackend(directory: folder, options: options)
    server = IdentityServer(provider)
  }

  /// Serves the provider with one user, while `body` runs.
  func serving(_ body: (_ address: String) async throws -> Void) async throws {
    let http = HTTPServer(self)
    _ = try await provider.answer(SignUp(email: Self.email, password: Secret(Self.password)))
    let address = "\(try await http.start())"
    let result: Result<Void, any Error>
    do { result = .success(try await body(address)) } catch { result = .failure(error) }
    release()
    try await http.stop()
    try await provider.close()
    try result.get()
  }

  static let email = "ada@example.com"
  static let password = "correct horse battery"

  func answer(_ request: ServerRequest) async -> ServerResponse {
    if request.path.hasSuffix("/v1/token") {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          state.refreshes += 1
          if state.isHeld { state.waiting.append(continuation) }
          return !state.isHeld
        }
        if goesOn { continuation.resume() }
      }
    }
    return await server.answer(request)
  }

  func bodyLength(of request: ServerRequest) async -> Int? { await server.bodyLength(of: request) }

  /// The number of refreshes that have come.
  var refreshes: Int { state.withLock { $0.refreshes } }

  /// Has refreshes hang until `release()`.
  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    let waiting = state.withLock { state in
      state.isHeld = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
