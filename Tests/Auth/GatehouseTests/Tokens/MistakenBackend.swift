import Gatehouse
import GatehouseQueues
import GatehouseTesting
import IdentityToolkit

/// A backend that answers calls of some kinds for another user than the caller.
final class MistakenBackend: Backend {
  private struct State: Sendable {
    var mistaken: Set<ScriptedBackend.Kind> = []
    var other: SignInResponse?
  }

  private let backend: ScriptedBackend
  private let state = Lock(State())

  init(_ backend: ScriptedBackend) { self.backend = backend }

  /// From now on, calls of these kinds are answered with the account and the tokens of `other`.
  func mistake(_ kinds: ScriptedBackend.Kind..., for other: SignInResponse) {
    state.withLock { ($0.mistaken, $0.other) = (Set(kinds), other) }
  }

  func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
    let response = try await backend.answer(call)
    let (mistaken, other) = state.withLock { ($0.mistaken, $0.other) }
    guard let other else { return response }
    return changed(response, for: other, of: mistaken) as? C.Response ?? response
  }

  private func changed(
    _ response: any Sendable, for other: SignInResponse, of kinds: Set<ScriptedBackend.Kind>
  ) -> (any Sendable)? {
    switch response {
    case is SignInResponse where kinds.contains(.signUp): return other
    case is ExchangeRefreshToken.Response where kinds.contains(.refresh):
      return ExchangeRefreshToken.Response(
        idToken: other.idToken, refreshToken: other.refreshToken, expiresIn: .seconds(3600), userId: other.localId)
    case is Update.Response where kinds.contains(.update):
      var update = Update.Response(localId: other.localId)
      update.idToken = other.idToken
      update.refreshToken = other.refreshToken
      update.expiresIn = other.expiresIn
      return update
    case is Lookup.Response where kinds.contains(.lookup):
      return Lookup.Response(users: backend.account(other.localId).map { [$0] } ?? [])
    default: return nil
    }
  }
}
