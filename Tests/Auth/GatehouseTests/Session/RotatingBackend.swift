import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit

/// A scripted provider whose refresh tokens can be spent once: a second time ends the session. With a grace it repeats
/// its answer until the next token is used.
final class RotatingBackend: Backend {
  private struct State {
    /// The token that the scripted provider knows, by the one that a client has.
    var known: [String: Secret] = [:]
    /// The token that replaces a spent one.
    var next: [String: String] = [:]
    var sent: [String] = []
    var lostAnswers = 0
    var wasSpentTwice = false
  }

  let scripted = ScriptedBackend()
  let rotatesRefreshTokens: Bool
  private let hasGrace: Bool
  private let state = Lock(State())

  init(saysSo: Bool = true, hasGrace: Bool = false) { (rotatesRefreshTokens, self.hasGrace) = (saysSo, hasGrace) }

  var wasSpentTwice: Bool { state.withLock { $0.wasSpentTwice } }
  /// The refresh tokens that were sent, in order.
  var sent: [String] { state.withLock { $0.sent } }

  /// Spends the tokens of the next refreshes, and loses the answers.
  func loseAnswers(_ count: Int) { state.withLock { $0.lostAnswers = count } }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    guard let refresh = call as? ExchangeRefreshToken else { return try await scripted.answer(call) }
    let sent = refresh.refreshToken.revealed
    let spent: (known: Secret, next: String)? = state.withLock { state in
      state.sent.append(sent)
      let known = state.known[sent] ?? refresh.refreshToken
      if let next = state.next[sent] {
        if hasGrace, state.next[next] == nil { return (known, next) }
        state.wasSpentTwice = true
        return nil
      }
      let next = "rotated-\(state.next.count + 1)"
      state.next[sent] = next
      return (known, next)
    }
    guard let spent else { throw AuthError(server: "TOKEN_EXPIRED") }
    var answer = try await scripted.answer(ExchangeRefreshToken(refreshToken: spent.known))
    let isLost = state.withLock { state in
      state.known[spent.next] = answer.refreshToken
      answer.refreshToken = Secret(spent.next)
      state.lostAnswers -= 1
      return state.lostAnswers >= 0
    }
    if isLost { throw AuthError(.networkError, "the connection was lost") }
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
