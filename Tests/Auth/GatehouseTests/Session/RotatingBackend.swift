import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit

/// A scripted provider whose refresh tokens can be spent once: a second time ends the session.
final class RotatingBackend: Backend {
  private struct State {
    /// The token that the scripted provider knows, by the one that a client has; `nil` when it is spent.
    var tokens: [String: Secret?] = [:]
    var rotations = 0
    var wasSpentTwice = false
  }

  let scripted = ScriptedBackend()
  let rotatesRefreshTokens: Bool
  private let state = Lock(State())

  init(saysSo: Bool = true) { rotatesRefreshTokens = saysSo }

  var wasSpentTwice: Bool { state.withLock { $0.wasSpentTwice } }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard let refresh = call as? ExchangeRefreshToken else { return try await scripted.answer(call) }
    let sent = refresh.refreshToken.revealed
    let known = state.withLock { state in
      let known = state.tokens[sent] ?? .some(refresh.refreshToken)
      state.tokens[sent] = .some(nil)
      if known == nil { state.wasSpentTwice = true }
      return known
    }
    guard let known else { throw AuthError(server: "TOKEN_EXPIRED") }
    var answer = try await scripted.answer(ExchangeRefreshToken(refreshToken: known))
    answer.refreshToken = state.withLock { state in
      state.rotations += 1
      state.tokens["rotated-\(state.rotations)"] = .some(answer.refreshToken)
      return Secret("rotated-\(state.rotations)")
    }
    guard let answer = answer as? C.Response else { throw .unsupported(C.self) }
    return answer
  }
}

extension Auth.Configuration {
  static func forTests(
    _ backend: RotatingBackend, _ store: any CredentialStore, _ clocks: ManualClocks, seed: UInt64 = 1
  ) -> Auth.Configuration {
    Auth.Configuration(
      backend: backend, store: store, callbackQueue: DispatchQueue(label: "test.callbacks"), clocks: clocks,
      random: SeededRandomSource(seed: seed), logger: .silent)
  }
}
